from dates import written


def test_every_part_is_there():
    assert sorted(written(2026, 3, 14).replace(".", "-").split("-")) == ["03", "14", "2026"]


def test_years_have_four_digits():
    assert "2026" in written(2026, 3, 14)
