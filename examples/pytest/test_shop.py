from shop import total


def test_total():
    assert total([1.5, 2.5]) == 4.0


def test_discount():
    assert total([10, 10], discount=25) == 15.0
