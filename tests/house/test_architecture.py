import re
import tomllib

from house.tree import ROOT

TEXT = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
PACKAGE = ROOT / "src" / "understudy"


def test_the_layers_in_the_text_are_the_layers_in_the_contract():
    tool = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]
    contract = next(c for c in tool["contracts"] if c["id"] == "layers")["layers"]
    block = re.search(r"## Who may import whom\n\n((?: {4}.*\n)+)", TEXT).group(1)
    told = [line.strip() for line in block.splitlines()]
    assert told == [re.sub(r"[()]", "", line) for line in contract if "__main__" not in line]


def test_every_room_is_told_about():
    rooms = [path.name for path in PACKAGE.iterdir() if (path / "__init__.py").is_file()]
    assert [room for room in rooms if f"`{room}/`" not in TEXT] == []


def test_every_file_in_the_table_of_places_is_there():
    places = TEXT.split("## Where to find what")[1]
    files = re.findall(r"`([a-z_]+/[a-z_]+\.py)`", places)
    assert len(files) > 5
    assert [name for name in files if not (PACKAGE / name).is_file()] == []
