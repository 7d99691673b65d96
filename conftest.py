"""Load the homework's plugin; import the framework before pytest collects its doctests: a layer is registered once."""

import importlib.util

import kuiper

assert kuiper.registry

pytest_plugins = ["classroom.front.plugin"]

if importlib.util.find_spec("sphinx") is None:
    # these speak to Sphinx, which only the site needs: python3 course.py setup --site
    collect_ignore = [f"classroom/site/{name}.py" for name in ("code_links", "extension", "settings")]

if importlib.util.find_spec("hypothesis") is not None:
    from hypothesis import HealthCheck, settings

    # that a machine is busy is no fault of the code
    settings.register_profile("course", deadline=None, suppress_health_check=[HealthCheck.too_slow])
    settings.load_profile("course")
