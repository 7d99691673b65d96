"""Predictions that wait for a guess, ticks, and the file of what is kept, in Chromium, from file://."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

LESSON = "lessons/02_tensor/02_tensor.html"
HOMEWORK = "homework/02_tensor/README.html"
SHELF = "lessons/index.html"
GUESS = "five rows, I think"
HIDDEN = "one => one.closest('[hidden]') !== null"


def answered(tab: Any, text: str = GUESS) -> Any:
    """The first prediction of a lesson's page, answered -> its cell."""
    cell = tab.locator(".gate-cell").first
    cell.get_by_label("Your guess").fill(text)
    cell.get_by_role("button", name="Compare").click()
    return cell


def test_the_answer_and_the_text_after_it_wait_for_a_guess_and_both_stay(site: Path, desk: Any) -> None:
    tab = desk.open(site / LESSON)
    cell = tab.locator(".gate-cell").first
    rest = tab.locator(".gate-rest").first
    assert cell.locator(".gate-result").evaluate(HIDDEN)
    assert rest.evaluate(HIDDEN)
    assert not rest.locator("p").first.evaluate("one => one.checkVisibility()")
    assert rest.evaluate("one => one.nextElementSibling === null || one.nextElementSibling.matches('section, h2, h3')")
    cell.get_by_role("button", name="Compare").click()
    assert "Expected a guess" in cell.locator(".gate-note").inner_text()
    assert cell.locator(".gate-result").evaluate(HIDDEN)
    answered(tab)
    assert tab.locator(".gate-rest > details").first.evaluate("one => one.open")
    for _ in range(2):
        cell = tab.locator(".gate-cell").first
        assert not cell.locator(".gate-result").evaluate(HIDDEN)
        assert not tab.locator(".gate-rest").first.evaluate(HIDDEN)
        assert cell.locator(".gate-words").inner_text() == GUESS
        said, result = cell.locator(".gate-said").bounding_box(), cell.locator(".gate-result").bounding_box()
        assert said["x"] + said["width"] <= result["x"]
        assert abs(said["y"] - result["y"]) < 40
        tab.reload()
    tab.locator(".gate-cell").first.get_by_role("button", name="Take it back").click()
    assert tab.locator(".gate-rest").first.evaluate(HIDDEN)
    assert tab.locator(".gate-field").first.input_value() == GUESS
    assert desk.trouble == []


def test_a_guess_says_what_moving_picture_waits_behind_it(site: Path, desk: Any) -> None:
    tab = desk.open(site / "lessons/13_language_model/13_language_model.html")
    waiting = tab.locator(".gate-behind:visible").count()
    assert waiting
    assert "A moving picture waits behind this guess." in tab.locator(".gate-behind").all_inner_texts()
    hidden = tab.locator(".gate-rest[hidden] .moving").count()
    assert hidden >= waiting
    tab.get_by_role("button", name="Show all without guessing").click()
    assert tab.locator(".gate-behind:visible").count() == 0
    assert tab.locator(".gate-rest[hidden] .moving").count() == 0


def test_what_is_shown_without_a_guess_is_told_apart(site: Path, desk: Any) -> None:
    tab = desk.open(site / LESSON)
    closed = tab.locator(".gate-form:visible").count()
    tab.get_by_role("button", name="Show all without guessing").click()
    assert tab.locator(".gate-form:visible").count() == 0
    assert tab.locator(".gate-count").inner_text().strip().startswith("0 of ")
    assert tab.locator(".gate-none").first.inner_text() == "None: it was shown without a guess."
    tab.get_by_role("button", name="Ask again").click()
    assert tab.locator(".gate-form:visible").count() == closed


def test_a_link_behind_a_gate_opens_it(site: Path, desk: Any) -> None:
    tab = desk.open(site / LESSON)
    tab.locator(".gate-rest > *").first.evaluate("one => { one.id = 'behind'; }")
    assert tab.locator("#behind").evaluate(HIDDEN)
    tab.evaluate("location.hash = '#behind'")
    tab.wait_for_function("document.getElementById('behind').closest('[hidden]') === null")


def test_nothing_is_lost_in_print_or_without_scripts(site: Path, desk: Any, watch: Any) -> None:
    tab = desk.open(site / LESSON)
    tab.emulate_media(media="print")
    assert not tab.locator(".gate-form").first.is_visible()
    seen = "all => all.every(one => one.getBoundingClientRect().height > 0 && one.checkVisibility())"
    assert tab.locator(".gate-result").count() > 3
    assert tab.locator(".gate-result").evaluate_all(seen)
    still = watch(java_script_enabled=False).open(site / LESSON)
    assert still.locator(".cell.tag_predict details.hide summary").first.is_visible()
    assert still.locator(".gate-form").count() == 0


def test_on_paper_what_has_not_been_guessed_stands_on_the_last_pages(site: Path, desk: Any) -> None:
    tab = desk.open(site / LESSON)
    tab.locator(".gate-skip", has_text="Show me without a guess").first.click()
    order = "[...document.querySelectorAll('article *')].map(one => [one.tagName, one.id, one.open, one.hidden])"
    before, gates = tab.evaluate(order), tab.locator(".gate-cell").count()
    tab.emulate_media(media="print")
    tab.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert tab.locator(".gate-cell .gate-result").count() == 1  # of the open one
    answers = tab.locator(".gate-answers")
    assert answers.evaluate("one => one === one.parentElement.lastElementChild")
    titles, turns = answers.locator("h3").all_inner_texts(), tab.locator(".cell.tag_answer").count()
    thoughts = tab.locator("details", has_text=re.compile(r"^\s*An answer")).count()
    assert titles[: gates - 1] == [f"Prediction {number}" for number in range(2, gates + 1)]
    assert titles[gates - 1 : -thoughts] == [f"Your turn, answer {number}" for number in range(1, turns + 1)]
    assert titles[-thoughts:] == [f"To think about, answer {number}" for number in range(1, thoughts + 1)]
    assert answers.locator(".gate-result").count() == gates - 1
    assert answers.locator(".gate-result, .cell_input").evaluate_all("all => all.every(one => one.checkVisibility())")
    assert answers.locator(".cell.tag_answer").count() == turns > 2
    assert answers.locator("details:not([open])").count() == 0
    assert tab.locator(".gate-paper").count() == gates - 1 + turns + thoughts > turns
    tab.evaluate("dispatchEvent(new Event('afterprint'))")
    assert tab.evaluate(order) == before


def test_a_solved_exercise_is_ticked_everywhere_and_the_front_page_continues(site: Path, desk: Any) -> None:
    tab = desk.open(site / HOMEWORK)
    ticks = tab.locator(".progress-tick input")
    for place in range(ticks.count()):
        ticks.nth(place).check()
    tab = desk.open(site / LESSON)
    assert tab.locator(".progress-tick input").last.is_checked()
    tab = desk.open(site / "index.html")
    door = tab.get_by_role("link", name="Continue at lesson 3")
    assert door.get_attribute("href").endswith("03_pnnx.html")
    assert desk.trouble == []


def test_what_is_kept_goes_to_a_file_and_comes_back_in_another_browser(
    site: Path, desk: Any, watch: Any, tmp_path: Path
) -> None:
    answered(desk.open(site / LESSON))
    tab = desk.open(site / SHELF)
    assert "1 guess" in tab.locator(".progress-shelf").inner_text()
    with tab.expect_download() as download:
        tab.get_by_role("button", name="Save to a file").click()
    file = tmp_path / "kuiper-progress.json"
    download.value.save_as(file)
    assert GUESS in file.read_text(encoding="utf-8")

    other = watch()
    tab = other.open(site / SHELF)
    assert "Nothing is kept yet." in tab.locator(".progress-shelf").inner_text()
    tab.locator(".progress-file").set_input_files(file)
    tab.get_by_text("Brought in from kuiper-progress.json: 1 guess.").wait_for()
    assert other.open(site / LESSON).locator(".gate-words").first.inner_text() == GUESS
    tab = other.open(site / SHELF)
    tab.once("dialog", lambda dialog: dialog.dismiss())
    tab.get_by_role("button", name="Forget everything").click()
    assert "1 guess" in tab.locator(".progress-shelf").inner_text()
    tab.once("dialog", lambda dialog: dialog.accept())
    tab.get_by_role("button", name="Forget everything").click()
    assert "Everything is forgotten." in tab.locator(".progress-status").inner_text()
    assert tab.evaluate("localStorage.length") == 0
    assert other.trouble == []


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "found no JSON"),
        ("[]", "found another"),
        ('{"format": "kuiper progress", "version": 9, "kept": {}}', "expected version 1 of the format, found 9"),
        ('{"format": "kuiper progress", "version": 1}', "expected what was kept, found none"),
        ('{"format": "kuiper progress", "version": 1, "kept": {"theme": {}}}', 'nothing under "theme"'),
        ('{"format": "kuiper progress", "version": 1, "kept": {"exercises": {"a": 1}}}', 'than "a": 1'),
    ],
)
def test_another_file_is_refused_with_a_reason_and_changes_nothing(
    site: Path, desk: Any, tmp_path: Path, text: str, said: str
) -> None:
    file = tmp_path / "other.json"
    file.write_text(text, encoding="utf-8")
    tab = desk.open(site / SHELF)
    tab.locator(".progress-file").set_input_files(file)
    tab.get_by_text("other.json: expected").wait_for()
    assert said in tab.locator(".progress-status").inner_text()
    assert tab.evaluate("localStorage.length") == 0


def test_damaged_entries_are_left_out_and_a_browser_that_keeps_nothing_is_told_once(site: Path, desk: Any) -> None:
    damaged = {"guess:02_tensor": '{"x": 1', "exercises": json.dumps({"flatten": 5}), "lessons": "[]"}
    script = "for (const [key, text] of Object.entries(DAMAGED)) localStorage.setItem('kuiper:1:' + key, text);"
    desk.context.add_init_script(script.replace("DAMAGED", json.dumps(damaged)))
    desk.context.add_init_script("Storage.prototype.setItem = () => { throw new Error('full'); };")
    tab = desk.open(site / LESSON)
    answered(tab)
    assert tab.locator(".gate-words").first.inner_text() == GUESS
    tab.get_by_role("button", name="Show all without guessing").click()
    assert tab.locator(".progress-notice").count() == 1
    assert "keeps nothing" in tab.locator(".progress-notice").inner_text()
    assert desk.trouble == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", [LESSON, SHELF, HOMEWORK])
def test_gates_closed_and_open_fit_a_phone_and_axe_finds_nothing_serious(
    site: Path, watch: Any, name: str, scheme: str, serious: Any, overflow: Any
) -> None:
    watched = watch(viewport={"width": 390, "height": 844}, color_scheme=scheme, reduced_motion="reduce")
    tab = watched.open(site / name)
    assert serious(tab) == []
    assert overflow(tab) <= 0
    if name == LESSON:
        answered(tab)
        tab.get_by_role("button", name="Show all without guessing").click()
        assert serious(tab) == []
        assert overflow(tab) <= 0


def test_a_guess_is_given_by_keyboard_alone(site: Path, desk: Any) -> None:
    tab = desk.open(site / LESSON)
    tab.locator(".gate-field").first.focus()
    tab.keyboard.type(GUESS)
    tab.keyboard.press("Control+Enter")
    assert tab.evaluate("document.activeElement.className") == "gate-said"
    assert tab.locator(".gate-words").first.inner_text() == GUESS
