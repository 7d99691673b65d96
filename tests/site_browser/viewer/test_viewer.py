"""The viewer of the networks' graphs in a real browser: zoom, fingers, keys, blocks, values, print."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pytest

import kuiper
from classroom.live import values
from classroom.register import ROOT
from classroom.site import viewer as room
from kuiper.show.layout import layered

PHONE = {"width": 390, "height": 844}
Open = Callable[..., Any]


@pytest.fixture
def viewer(opened: Open) -> Any:
    return opened("graph_digits")


def scale_of(page: Any) -> float:
    page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    return float(page.locator("figure").get_attribute("data-scale"))


def box_of(page: Any, operator: int) -> dict[str, float]:
    scale_of(page)
    return page.locator(f'.viewer-view [data-op="{operator}"]').bounding_box()


def focused(page: Any) -> str:
    return page.evaluate("document.activeElement.dataset.key ?? document.activeElement.classList[0]")


@pytest.mark.slow
def test_the_viewer_zooms_by_button_and_key(viewer: Any) -> None:
    page, view = viewer, viewer.locator(".viewer-view")
    begun = scale_of(page)
    page.get_by_role("button", name="Zoom in").click()
    assert scale_of(page) > begun
    view.focus()
    page.keyboard.press("-")
    assert scale_of(page) == pytest.approx(begun, rel=0.01)
    page.keyboard.press("0")
    assert scale_of(page) < begun
    assert page.locator(".viewer-view.far").count() == 1  # too small for letters
    box = view.bounding_box()
    for operator in (0, 23):
        seen = box_of(page, operator)
        assert box["x"] <= seen["x"] <= box["x"] + box["width"]
        assert box["y"] - 1 <= seen["y"] <= box["y"] + box["height"]
    for _ in range(30):
        page.get_by_role("button", name="Zoom in").click()
    assert scale_of(page) == 3
    page.get_by_role("button", name="Start").click()
    assert scale_of(page) == begun


def test_the_wheel_scrolls_the_page_even_when_the_viewer_has_the_focus(viewer: Any) -> None:
    page, begun = viewer, scale_of(viewer)
    page.locator('.viewer-view [data-op="2"]').click()
    spot = page.locator('.viewer-view [data-op="2"]').bounding_box()
    page.mouse.move(spot["x"] + 10, spot["y"] + 10)
    page.mouse.wheel(0, 200)
    page.wait_for_function("window.scrollY > 0")
    assert scale_of(page) == begun


def test_with_control_the_wheel_zooms_around_the_mouse(viewer: Any) -> None:
    page = viewer
    for _ in range(2):  # wider than the view, or it stays in the middle
        page.get_by_role("button", name="Zoom in").click()
    page.locator("select").select_option("op 2")
    begun, spot = scale_of(page), box_of(page, 2)
    middle = spot["x"] + spot["width"] / 2, spot["y"] + spot["height"] / 2
    page.mouse.move(*middle)
    page.keyboard.down("Control")
    for _ in range(2):
        page.mouse.wheel(0, -120)
        scale_of(page)
    page.keyboard.up("Control")
    after = box_of(page, 2)
    assert scale_of(page) > begun * 1.2
    assert (after["x"] + after["width"] / 2, after["y"] + after["height"] / 2) == pytest.approx(middle, abs=2)
    assert page.evaluate("scrollY") == 0


def test_the_viewer_is_dragged_by_the_mouse(viewer: Any) -> None:
    page, box = viewer, viewer.locator(".viewer-view").bounding_box()
    before = box_of(page, 3)
    page.mouse.move(box["x"] + 30, box["y"] + 300)
    page.mouse.down()
    page.mouse.move(box["x"] + 30, box["y"] + 200, steps=4)
    page.mouse.up()
    after = box_of(page, 3)
    assert (after["x"], after["y"]) == pytest.approx((before["x"], before["y"] - 100), abs=2)


def touches(page: Any, *steps: tuple[str, list[tuple[float, float]]]) -> None:
    session = page.context.new_cdp_session(page)
    for kind, points in steps:
        fingers = [{"x": x, "y": y, "id": i} for i, (x, y) in enumerate(points)]
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": fingers})


def test_two_fingers_zoom_the_drawing(opened: Open) -> None:
    page = opened("graph_digits", viewport=PHONE, has_touch=True, is_mobile=True)
    begun, box = scale_of(page), page.locator(".viewer-view").bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    far = lambda reach: [(x - reach, y), (x + reach, y)]  # noqa: E731
    touches(page, ("touchStart", far(40)), ("touchMove", far(60)), ("touchMove", far(80)), ("touchEnd", []))
    assert scale_of(page) == pytest.approx(2 * begun, rel=0.25)
    assert page.evaluate("visualViewport.scale") == 1


def test_one_finger_scrolls_the_page(opened: Open) -> None:
    page = opened("graph_digits", viewport=PHONE, has_touch=True, is_mobile=True)
    begun, before = scale_of(page), page.locator("svg.drawing").last.get_attribute("style")
    box = page.locator(".viewer-view").bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] - 60
    path = [("touchMove", [(x, y - 20 * i)]) for i in range(1, 10)]
    touches(page, ("touchStart", [(x, y)]), *path, ("touchEnd", []))
    page.wait_for_function("window.scrollY > 50")
    assert scale_of(page) == begun
    assert page.locator("svg.drawing").last.get_attribute("style") == before


def test_hover_tells_about_an_operator_and_a_click_keeps_it(viewer: Any) -> None:
    page, details = viewer, viewer.locator(".viewer-details")
    page.locator('.viewer-view [data-op="2"]').hover()
    told = details.inner_text()
    for word in ("convbn2d_0", "nn.Conv2d", "kernel_size = (3,3)", "#1", "?x1x8x8 f32", "32x1x3x3 f32", "288 numbers"):
        assert word in told
    assert page.locator(".edge.reads").count() == 1
    page.locator('.viewer-view [data-op="4"]').click()
    page.mouse.move(5, 5)
    assert "convbn2d_1" in details.inner_text()
    assert page.locator(".viewer-view .op.chosen").get_attribute("data-op") == "4"


def test_keys_walk_open_and_leave(viewer: Any) -> None:
    page = viewer
    page.locator(".viewer-view").focus()
    page.keyboard.press("Tab")
    assert focused(page) == "op 2"  # the first operator with weights
    for _ in range(9):
        page.keyboard.press("ArrowDown")
    reached = int(focused(page).removeprefix("op "))
    assert reached > 10
    box, seen = page.locator(".viewer-view").bounding_box(), box_of(page, reached)
    assert box["y"] <= seen["y"] <= box["y"] + box["height"] - seen["height"]
    page.keyboard.press("ArrowUp")
    assert focused(page) != f"op {reached}"
    page.keyboard.press("End")
    assert "pnnx_output_0" in page.locator(".viewer-details").inner_text()
    page.keyboard.press("Enter")
    assert focused(page) == "viewer-details"
    page.keyboard.press("Escape")
    assert focused(page) == "op 23"
    page.keyboard.press("Escape")
    assert focused(page) == "viewer-view"
    page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement === document.body")


def test_equal_blocks_are_folded_and_open_by_key(opened: Open) -> None:
    page = opened("graph_writer")
    folded = page.locator(".op.folded")
    assert folded.count() == 1
    assert folded.get_attribute("aria-label") == "block × 4, 34 operators each, folded"
    assert page.locator(".viewer-view .op").count() == 167 - 4 * 34 + 1
    folded.focus()
    assert "4 equal blocks in a row" in page.locator(".viewer-details").inner_text()
    page.keyboard.press("Enter")
    assert page.locator(".viewer-view .op").count() == 167
    assert focused(page) == "op 25"
    heads = page.locator(".head")
    assert [head.get_attribute("aria-label") for head in heads.all()] == [f"Fold: block {i} of 4" for i in range(1, 5)]
    heads.nth(2).focus()
    page.keyboard.press("Enter")
    assert folded.count() == 1
    assert focused(page) == "run 0"


def test_a_click_opens_blocks_and_their_frames_hold_nothing_else(opened: Open) -> None:
    page = opened("graph_writer")
    page.locator("select").select_option("run 0")
    scale_of(page)
    page.locator(".op.folded").click()
    found = page.evaluate("""() => {
      const box = (mark) => mark.getBBox();
      const boxes = [...document.querySelectorAll(".viewer-view .op")].map((op) => [Number(op.dataset.op), box(op)]);
      return [...document.querySelectorAll(".viewer-view .ground")].map((ground) => {
        const g = box(ground);
        const isIn = (b) => b.x < g.x + g.width && b.x + b.width > g.x && b.y < g.y + g.height && b.y + b.height > g.y;
        return boxes.filter(([, b]) => isIn(b)).map(([op]) => op);
      });
    }""")
    assert found == [list(range(25 + 34 * i, 25 + 34 * (i + 1))) for i in range(4)]
    page.get_by_role("button", name="Fold equal blocks").click()
    assert page.locator(".op.folded").count() == 1


@pytest.mark.slow
@pytest.mark.parametrize("name", room.NAMES)
def test_blocks_are_equal_and_follow_each_other(opened: Open, name: str) -> None:
    page = opened(name)
    model = name.removeprefix("graph_")
    file = ROOT / "models" / model / f"{model}.pnnx.param"
    runs, names = page.evaluate(
        """text => { const graph = KuiperViewer.parse(text, "file", KuiperViewer.families.dtypes);
        return [KuiperViewer.equalBlocks(graph), graph.operators.map((op) => op.name)]; }""",
        file.read_text(encoding="utf-8"),
    )
    assert {"classifier": 1, "detector": 2, "digits": 0, "segmenter": 0, "writer": 1}[model] == len(runs)
    by_name = {op.name: op for op in kuiper.load(file).operators}
    ops = [by_name[one] for one in names]
    for run in runs:
        blocks = [
            [
                (op.type, str(op.params), [(key, w.shape) for key, w in op.attributes.items()])
                for op in ops[run["first"] + i * run["length"] :][: run["length"]]
            ]
            for i in range(run["count"])
        ]
        assert all(block == blocks[0] for block in blocks)


def test_the_layout_is_that_of_kuiper(opened: Open) -> None:
    page = opened("graph_digits")
    for model in ("digits", "detector", "writer"):
        graph = kuiper.load(ROOT / "models" / model / f"{model}.pnnx.param")
        number = {op.name: i for i, op in enumerate(graph.operators)}
        edges = [(number[x.producer.name], i) for i, op in enumerate(graph.operators) for x in op.inputs]
        widths = [80.0 + 7 * (i % 9) for i in number.values()]
        late = [i for i, op in enumerate(graph.operators) if op.type == "pnnx.Attribute"]
        expected = layered(widths, edges, late)
        found = page.evaluate("([w, e, l]) => KuiperViewer.layered(w, e, l)", [widths, edges, late])
        assert found["layer"] == expected.layer
        assert found["x"] == pytest.approx(expected.x, abs=0.01)
        flat = lambda bends: [x for chain in bends for x in chain]  # noqa: E731
        assert flat(found["bends"]) == pytest.approx(flat(expected.bends), abs=0.01)


def test_the_overview_stands_beside_the_view_and_moves_it(viewer: Any) -> None:
    page = viewer
    mini, view = page.locator(".viewer-mini").bounding_box(), page.locator(".viewer-view").bounding_box()
    assert mini["x"] + mini["width"] <= view["x"]
    before = box_of(page, 23)
    page.mouse.click(mini["x"] + 10, mini["y"] + mini["height"] - 10)
    seen = box_of(page, 23)
    assert before["y"] > view["y"] + view["height"] > seen["y"]


@pytest.mark.slow
def test_on_a_phone_there_is_no_overview_and_nothing_reaches_beyond(opened: Open) -> None:
    for name in room.NAMES:
        page = opened(name, viewport=PHONE, has_touch=True, is_mobile=True)
        assert not page.locator(".viewer-mini").is_visible()
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        for part in (".viewer-view", ".viewer-details", "select"):
            box = page.locator(part).first.bounding_box()
            assert 0 <= box["x"] < box["x"] + box["width"] <= 390, part


def test_the_full_screen_can_be_left(viewer: Any) -> None:
    page = viewer
    page.get_by_role("button", name="Full screen").click()
    view = page.locator("dialog .viewer-view")
    assert view.bounding_box()["height"] > 400
    begun = scale_of(page)
    box = view.bounding_box()
    page.mouse.move(box["x"] + 100, box["y"] + 100)
    page.mouse.wheel(0, -200)
    assert scale_of(page) > begun  # here the wheel has nothing to scroll
    page.keyboard.press("Escape")
    view.wait_for(state="detached")  # a dialog closes when the page's script has come to an end
    page.get_by_role("button", name="Full screen").click()
    page.get_by_role("button", name="Close").click()
    view.wait_for(state="detached")
    assert page.evaluate("document.activeElement.textContent") == "Full screen"


@pytest.mark.slow
@pytest.mark.parametrize("name", room.NAMES)
def test_the_list_brings_any_operator_into_view(opened: Open, name: str) -> None:
    page = opened(name)
    keys = [option.get_attribute("value") for option in page.locator(".viewer-controls select option").all()]
    for key in (keys[-1], keys[len(keys) // 2], keys[len(keys) * 3 // 4]):
        page.locator("select").select_option(key)
        scale_of(page)
        box = page.locator(".viewer-view").bounding_box()
        seen = page.locator(f'[data-key="{key}"]').bounding_box()
        assert box["x"] <= seen["x"] + seen["width"] / 2 <= box["x"] + box["width"]
        assert box["y"] <= seen["y"] + seen["height"] / 2 <= box["y"] + box["height"]
        assert seen["height"] >= 30


@pytest.mark.slow
def test_stored_values_stand_at_every_operator_with_real_shapes(viewer: Any) -> None:
    page = viewer
    assert "?x32x8x8" in page.locator(".viewer-view").inner_text()
    page.get_by_role("button", name="Show values of a sample").click()
    page.wait_for_selector("figure[data-values]")
    assert "stored ones" in page.locator(".viewer-said").inner_text()
    drawn = page.locator(".viewer-view").inner_text()
    assert "1x32x8x8 f32" in drawn
    assert "?" not in drawn
    graph = kuiper.load(ROOT / "models/digits/digits.pnnx.param")
    words, inputs = values.sample(graph, "digits")
    summaries = values.values_of(graph, inputs)
    for key in page.locator("select option").all()[:-1]:
        page.locator("select").select_option(key.get_attribute("value"))
        told = page.locator(".viewer-details").inner_text()
        name = page.locator(".viewer-name").inner_text()
        assert f"Values for {words}" in told
        assert "x".join(map(str, summaries[name][0]["shape"])) in told, name
    shown = re.search(r"mean (\S+?),?\n", told)
    assert shown
    assert float(shown[1].replace("−", "-")) == pytest.approx(summaries[name][0]["mean"], rel=1e-3)
    assert page.locator(".viewer-maps canvas").count() == 1


def test_a_scan_that_the_page_computes_has_the_values_of_kuiper(viewer: Any) -> None:
    page = viewer
    page.get_by_role("button", name="Values of my own input").click()
    page.get_by_role("button", name="0", exact=True).click()
    page.wait_for_selector("figure[data-values]")
    graph = kuiper.load(ROOT / "models/digits/digits.pnnx.param")
    _, inputs = values.sample(graph, "digits")  # the same scan
    expected = values.values_of(graph, inputs)
    found = page.evaluate("""async () => {
        const { param } = JSON.parse(document.querySelector("figure script").textContent);
        const graph = KuiperViewer.parse(param, "digits", KuiperViewer.families.dtypes);
        const { run, load, tensor } = KuiperDigits;
        const { values } = run(load(KUIPER_NETWORK), tensor([1, 8, 8], Float32Array.from(KUIPER_NETWORK.scans[0])));
        return Object.fromEntries(graph.operators.filter((op) => op.outputs.length).map((op) => {
            const { shape, data } = values[op.outputs[0]];
            const { maps, ...told } = KuiperViewer.summary([1, ...shape], "f32", data);
            return [op.name, { ...told, maps: { ...maps, bytes: [...maps.bytes] } }];
        }));
    }""")
    assert set(found) == set(expected)
    for name, one in found.items():
        other = expected[name][0]
        assert one["shape"] == other["shape"], name
        for key in ("min", "max", "mean", "zeros"):
            assert one[key] == pytest.approx(other[key], rel=2e-3, abs=2e-4), (name, key)
        assert one["first"] == pytest.approx(other["first"], rel=2e-3, abs=2e-4), name
        assert [one["maps"][key] for key in ("of", "shape", "step")] == [
            other["maps"][key] for key in ("of", "shape", "step")
        ]
    assert "computed all of it, in JavaScript" in page.locator(".viewer-said").inner_text()


def test_a_drawn_digit_changes_the_values(viewer: Any) -> None:
    page = viewer
    page.get_by_role("button", name="Values of my own input").click()
    pad = page.locator(".viewer-pad")
    pad.wait_for()
    box = pad.bounding_box()
    told = []
    for points in ([(80, 20), (80, 150)], [(30, 30), (140, 30), (60, 150)]):
        page.get_by_role("button", name="Clear").click()
        page.mouse.move(box["x"] + points[0][0], box["y"] + points[0][1])
        page.mouse.down()
        for x, y in points[1:]:
            page.mouse.move(box["x"] + x, box["y"] + y, steps=8)
        page.mouse.up()
        page.wait_for_selector('figure[data-values="the digit that you drew"]')
        told.append(page.locator(".viewer-details").inner_text())
    assert "Values for the digit that you drew" in told[0]
    assert told[0] != told[1]


def test_values_say_what_is_missing_where_a_file_is_not_there(opened: Open) -> None:
    page = opened("graph_writer")
    page.get_by_role("button", name="Show values of a sample").click()
    page.wait_for_function("document.querySelector('.viewer-said').textContent")
    assert "values-writer.js cannot be loaded" in page.locator(".viewer-said").inner_text()
    assert opened.trouble == ["Failed to load resource: net::ERR_FILE_NOT_FOUND"]
    opened.trouble.clear()


def test_the_scripts_come_when_the_viewer_comes_near(opened: Open) -> None:
    page = opened("graph_digits", above=5000)
    page.wait_for_load_state("networkidle")
    asked = "one => [...document.querySelectorAll('script[src], link[href]')].map((one) => one.src || one.href)"
    names = [url.rpartition("/")[2] for url in page.evaluate(asked)]
    assert {name for name in names if name.startswith("viewer")} == set(room.LOADED)
    assert page.locator(".viewer-graph[data-ready]").count() == 0
    page.evaluate("scrollTo(0, 4500)")
    page.locator(".viewer-graph[data-ready]").wait_for()


def test_without_scripts_the_whole_graph_can_be_scrolled(opened: Open) -> None:
    page = opened("graph_digits", java_script_enabled=False)
    still = page.locator(".viewer-still")
    assert still.locator("svg").bounding_box()["height"] > still.bounding_box()["height"] > 300
    assert page.locator('[data-op="2"]').is_visible()
    assert page.locator("button").count() == 0


def test_print_shows_the_still_picture_alone_and_light(opened: Open) -> None:
    page = opened("graph_digits", theme="dark", color_scheme="dark")
    assert not page.locator(".viewer-still").is_visible()
    page.emulate_media(media="print", color_scheme="dark")
    assert page.locator(".viewer-still svg").is_visible()
    assert not page.locator(".viewer-desk").is_visible()
    ink = page.evaluate("getComputedStyle(document.querySelector('.moving-title')).color")
    assert sum(json.loads(ink.replace("rgb(", "[").replace(")", "]"))) < 200


def test_who_asks_for_less_motion_gets_no_gliding(opened: Open) -> None:
    duration = "() => getComputedStyle(document.querySelector('.viewer-view svg.drawing')).transitionDuration"
    page = opened("graph_digits")
    page.get_by_role("button", name="Whole").click()
    assert page.evaluate(duration) == "0s"
    page.emulate_media(reduced_motion="no-preference")
    assert page.evaluate(duration) != "0s"


@pytest.mark.slow
def test_axe_finds_nothing_serious_with_everything_opened(opened: Open, serious: Any) -> None:
    page = opened("graph_digits")
    page.get_by_role("button", name="Show values of a sample").click()
    page.get_by_role("button", name="Values of my own input").click()
    page.locator(".viewer-pad").wait_for()
    other = opened("graph_writer")
    other.get_by_role("button", name="Open equal blocks").click()
    other.get_by_role("button", name="Values of my own input").click()
    for tab in (page, other):
        for theme in ("light", "dark"):
            tab.evaluate("theme => { document.documentElement.dataset.theme = theme; }", theme)
            assert serious(tab, "main") == [], theme
    page.get_by_role("button", name="Full screen").click()
    assert serious(page, "dialog") == []
