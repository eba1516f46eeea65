import understudy as us


def test_so_many_rows_are_written_with_their_certificate(call, folder, model):
    done = call("sample", model, "-o", "out.parquet", "--rows", "11")
    assert (done.code, done.err) == (0, "")
    assert len(us.read(folder / "out.parquet")) == 11
    assert call("verify", "out.certificate.json").code == 0


def test_conditions_are_kept(call, folder, model):
    call(
        "sample",
        model,
        "-o",
        "out.parquet",
        "--rows",
        "40",
        "--where",
        "grade=2..3",
        "--where",
        "member=True",
    )
    rows = us.read(folder / "out.parquet").to_arrow().to_pydict()
    assert set(rows["grade"]) <= {2, 3}
    assert set(rows["member"]) == {True}


def test_json_is_one_object(call, model):
    done = call("sample", model, "-o", "out.csv", "--rows", "2", "--seed", "9", "--json")
    assert (done.json["rows"], done.json["seed"], done.json["method"]) == (2, 9, "histogram")


def test_the_bound_of_a_model_with_a_larger_delta_is_told_at_that_delta(call):
    budget = ("--epsilon", "1", "--delta", "1e-6")
    fitted = call("fit", "people.csv", "--method", "histogram", *budget, "-o", "m", "--json")
    sampled = call("sample", "m", "-o", "out.csv", "--rows", "2", "--json")
    assert "Infinity" not in sampled.out
    assert (sampled.json["epsilon"], sampled.json["delta"]) == (fitted.json["epsilon"], 1e-6)
    said = call("sample", "m", "-o", "out.csv", "--rows", "2", "--force").out
    assert "inf" not in said and "at delta 1e-6" in said


def test_an_altered_model_is_refused_and_nothing_is_written(call, folder, model):
    (model / "schema.json").write_text("{}")
    refused = call("sample", model, "-o", "out.csv", "--rows", "2")
    assert refused.code == 2
    assert "SHA-256" in refused.err
    assert not (folder / "out.csv").exists()


def test_draws_that_cost_are_paid_for_in_the_model_folder(call, folder):
    rows = [f"{row / 10}" for row in range(5_000)]
    (folder / "x.csv").write_text("\n".join(["x", *rows]) + "\n")
    settings = [word for text in ("form=ridge", "rows=10", "at_least=5000") for word in ("--set", text)]
    call("fit", "x.csv", "-o", "m", "--method", "gaussian", *settings)
    for draws in (1, 2, 3):
        assert call("sample", "m", "-o", f"o{draws}.csv", "--rows", "10").code == 0
        drawn = [entry for entry in us.load(folder / "m").certificate.entries if entry.phase == "sample"]
        assert len(drawn) == draws
    refused = call("sample", "m", "-o", "w.csv", "--rows", "3", "--where", "x=1..2")
    assert refused.code == 2
    assert not (folder / "w.csv").exists()
