"""Lists the public objects of numpy, scipy and scikit-learn under one name each."""

from __future__ import annotations

import importlib
import inspect
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from types import ModuleType

PACKAGES = ("numpy", "scipy", "sklearn")

# Topic -> the modules whose public objects are nodes.
TOPICS = {
    "arrays": """
        numpy numpy.char numpy.ctypeslib numpy.lib.array_utils numpy.lib.introspect
        numpy.lib.mixins numpy.lib.npyio numpy.lib.recfunctions numpy.lib.scimath
        numpy.lib.stride_tricks numpy.matlib numpy.rec numpy.strings scipy.constants
        scipy.datasets scipy.io scipy.io.arff scipy.io.matlab scipy.io.wavfile
        scipy.sparse""",
    "statistics-random": """
        numpy.random scipy.stats scipy.stats.contingency scipy.stats.qmc
        scipy.stats.sampling""",
    "signal-image-fourier": """
        numpy.fft scipy.fft scipy.fftpack scipy.ndimage scipy.signal
        scipy.signal.windows""",
    "linalg-optimize-integrate": """
        numpy.linalg scipy.differentiate scipy.integrate scipy.linalg
        scipy.linalg.interpolative scipy.odr scipy.optimize scipy.optimize.elementwise
        scipy.sparse.linalg""",
    "special": "scipy.special",
    "ml-evaluation-preparation": """
        sklearn sklearn.compose sklearn.datasets sklearn.feature_extraction
        sklearn.feature_extraction.image sklearn.feature_extraction.text
        sklearn.feature_selection sklearn.frozen sklearn.impute sklearn.inspection
        sklearn.kernel_approximation sklearn.metrics sklearn.metrics.cluster
        sklearn.metrics.pairwise sklearn.model_selection sklearn.pipeline
        sklearn.preprocessing sklearn.utils sklearn.utils.class_weight
        sklearn.utils.extmath sklearn.utils.multiclass sklearn.utils.random
        sklearn.utils.sparsefuncs sklearn.utils.validation""",
    "polynomial-interpolation": """
        numpy.polynomial numpy.polynomial.chebyshev numpy.polynomial.hermite
        numpy.polynomial.hermite_e numpy.polynomial.laguerre numpy.polynomial.legendre
        numpy.polynomial.polynomial numpy.polynomial.polyutils scipy.interpolate""",
    "masked": "numpy.ma numpy.ma.mrecords scipy.stats.mstats",
    "ml-estimators": """
        sklearn.base sklearn.calibration sklearn.discriminant_analysis sklearn.dummy
        sklearn.ensemble sklearn.gaussian_process sklearn.gaussian_process.kernels
        sklearn.isotonic sklearn.kernel_ridge sklearn.linear_model sklearn.multiclass
        sklearn.multioutput sklearn.naive_bayes sklearn.neighbors
        sklearn.neural_network sklearn.semi_supervised sklearn.svm sklearn.tree""",
    "clustering-geometry-decomposition": """
        scipy.cluster.hierarchy scipy.cluster.vq scipy.sparse.csgraph scipy.spatial
        scipy.spatial.distance scipy.spatial.transform sklearn.cluster
        sklearn.covariance sklearn.cross_decomposition sklearn.decomposition
        sklearn.manifold sklearn.mixture sklearn.random_projection""",
}
TOPIC_OF = {name: topic for topic, names in TOPICS.items() for name in names.split()}

# Without these, two estimators would be public or not depending on other imports.
_ENABLERS = ("enable_halving_search_cv", "enable_iterative_imputer")
_ALIASES = {"np": "numpy", "sp": "scipy"}


@dataclass(frozen=True)
class PublicObjects:
    """Every public object under its canonical name.

    Attributes:
        docstrings: Canonical name -> docstring.
        canonical: Each public name, canonical or not -> canonical name.
    """

    docstrings: dict[str, str]
    canonical: dict[str, str]

    def resolve(self, name: str, home: str) -> str | None:
        """Finds the object that a docstring means by a name.

        The name is tried as written, then in the module of the docstring and in each
        package above it, then at the root of each library. Finally, `Class.method` is
        tried as `Class`.

        Args:
            name: The name as written, such as `svd`, `linalg.svd` or `np.linalg.svd`.
            home: Canonical name of the object whose docstring holds the name.

        Returns:
            The canonical name, or None if no public object is meant.
        """
        head, _, rest = name.partition(".")
        if rest and head in _ALIASES:
            name = f"{_ALIASES[head]}.{rest}"
        parents = home.split(".")[:-1]
        above = [".".join(parents[:depth]) for depth in range(len(parents), 0, -1)]
        scopes = ["", *(f"{scope}." for scope in (*above, *PACKAGES))]
        names = filter(None, (name, name.rpartition(".")[0]))
        full = (scope + wanted for wanted in names for scope in scopes)
        return next(filter(None, map(self.canonical.get, full)), None)


def read_libraries() -> PublicObjects:
    """Imports the libraries and lists their documented public objects."""
    for enabler in _ENABLERS:
        importlib.import_module(f"sklearn.experimental.{enabler}")
    found: list[tuple[str, object]] = []
    for module_name in sorted(TOPIC_OF):
        try:
            module = importlib.import_module(module_name)
        except ModuleNotFoundError:
            continue  # Other versions of the libraries lack some of the modules.
        found += [(f"{module_name}.{name}", value) for name, value in _public(module)]
    return name_objects((name, value) for name, value in found if _is_node(value))


def name_objects(objects: Iterable[tuple[str, object]]) -> PublicObjects:
    """Gives each object one canonical name.

    Objects with the same docstring share one name, and so does an object with several
    names. Preferred is a name in the object's own package, then the one with the fewest
    dots, then the shortest, then the first in the alphabet.

    Args:
        objects: Public names and their objects, which have docstrings.

    Returns:
        The objects, sorted by name.
    """
    groups: defaultdict[str, list[tuple[bool, int, int, str]]] = defaultdict(list)
    for name, value in objects:
        foreign = _package(value) != name.partition(".")[0]
        rank = (foreign, name.count("."), len(name), name)
        groups[inspect.cleandoc(value.__doc__ or "")].append(rank)
    docstrings = {min(ranks)[-1]: docstring for docstring, ranks in groups.items()}
    canonical = {rank[-1]: min(own)[-1] for own in groups.values() for rank in own}
    return PublicObjects(dict(sorted(docstrings.items())), canonical)


def _public(module: ModuleType) -> Iterator[tuple[str, object]]:
    """Yields what a module declares public, or else what it defines itself."""
    declared = getattr(module, "__all__", None)
    for name in sorted(declared if declared is not None else vars(module)):
        value = getattr(module, name, None)
        defined_here = getattr(value, "__module__", None) == module.__name__
        if not name.startswith("_") and (declared is not None or defined_here):
            yield name, value


def _is_node(value: object) -> bool:
    """Whether an object is a documented function, class or distribution."""
    import numpy as np

    if not callable(value) or not isinstance(value.__doc__, str):
        return False
    dropped = BaseException | np.generic | np.dtype
    if isinstance(value, type) and issubclass(value, dropped):
        return False
    tester = type(value).__name__ == "PytestTester"
    return not tester and _package(value) in (*PACKAGES, "")


def _package(value: object) -> str:
    """Returns the package that defines an object; "" if a ufunc does not name one."""
    return str(getattr(value, "__module__", None) or "").partition(".")[0]
