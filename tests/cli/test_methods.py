import understudy as us


def test_every_synthesizer_has_its_line(call):
    done = call("methods")
    assert (done.code, done.err) == (0, "")
    for name in us.synth.names():
        assert f"{name} " in done.out
        assert us.synth.get(name).summary() in done.out


def test_every_setting_is_shown_as_it_is_typed(call):
    out = call("methods").out
    assert "--set knots=1000" in out
    assert "--set order_levels=true" in out
    assert "a whole number from 2 to 1,000,000" in out


def test_json_lists_names_settings_and_ranges(call):
    methods = {method["name"]: method for method in call("methods", "--json").json["methods"]}
    assert list(methods) == us.synth.names()
    assert methods["histogram"]["settings"][0]["name"] == "knots"
    assert methods["copy"]["settings"] == []


def test_every_default_can_be_typed_back(call):
    for method in call("methods", "--json").json["methods"]:
        recipe = us.synth.get(method["name"])
        quick = {k: v for k, v in recipe.small().settings().items() if v != recipe().settings()[k]}
        defaults = {key["name"]: key["default"] for key in method["settings"]}
        # But for those that would train for minutes.
        words = [f"--set={key}={value}" for key, value in {**defaults, **quick}.items()]
        assert call("fit", "people.csv", "-o", method["name"], "--method", method["name"], *words).code == 0
