"""What several commands read alike: settings for methods that differ in theirs."""

from cane_gane.__main__ import main
from cane_gane.commands.flags import method_settings


def test_a_setting_goes_to_the_methods_that_have_it():
    found = method_settings({"split": "strict", "epochs": 2, "walks": 3},
                            ["ap", "deepwalk", "mmb"])  # fmt: skip
    assert found == {
        "ap": {"split": "strict", "epochs": 2},
        "deepwalk": {"split": "strict", "walks": 3},
        "mmb": {"split": "strict"},
    }


def test_a_setting_that_no_method_has_is_refused(capsys):
    words = ["table", "pydocs", "--methods=mmb,line", "--walks=3"]
    assert main(words) == 2
    assert "found setting 'walks' with method mmb" in capsys.readouterr().err


def test_help_lists_defaults_that_differ_by_method(capsys):
    main(["train", "--help"])
    words = " ".join(capsys.readouterr().out.split())
    about = words.partition("--dimension=N ")[2]
    assert about.startswith(
        "length of word, text and node vectors (default: 100; 200 for deepwalk, "
        "node2vec, line, naive"
    )
