"""The trained model as a SavedModel: texts or node ids in, scores and vectors out."""

from __future__ import annotations

import errno
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import keras
import numpy as np
import tensorflow as tf

from cane_gane.data.tokens import EncodedTexts
from cane_gane.files import new_folder, write_json
from cane_gane.layers import WordAlignment
from cane_gane.models.pair_scorer import PairScorer
from cane_gane.serving.encoding import ServedEncoder
from cane_gane.serving.evidence import ServedEvidence
from cane_gane.serving.nodes import KnownNodes
from cane_gane.serving.signatures import INPUTS, as_signature, of_any_integers

Outputs = dict[str, tf.Tensor]

PAIRS = 2048  # pairs over which the spread of a score is measured
WEIGHTS = "assets.extra/evidence.json"
CANDIDATES = 100  # least number of nodes that `recommend` ranks


class Servable:
    """A trained model, ready to be served.

    Its methods are the signatures of the SavedModel that `export` writes.

    Attributes:
        model: The model.
    """

    def __init__(
        self,
        model: PairScorer,
        texts: EncodedTexts,
        vocabulary: Path,
        unknown: int,
        max_length: int,
        evidence: ServedEvidence | None = None,
        nodes: KnownNodes | None = None,
    ) -> None:
        """Takes what is served.

        Args:
            model: The trained model.
            texts: The encoded texts of its nodes.
            vocabulary: The vocabulary file, which goes into `assets/`.
            unknown: The id of words that are not in it.
            max_length: Words of a raw text after this many are dropped. A model that
                attends to padding cuts and pads to the width of `texts` instead.
            evidence: The evidence that is added to the model's own score, if any.
            nodes: The names of the nodes and their training neighbours; without them
                there is no `recommend`.
        """
        self.model = model
        self._encoder = ServedEncoder(model, texts, vocabulary, unknown, max_length)
        self._softmax = WordAlignment(return_plan=True)
        self._evidence = evidence
        self._nodes = nodes
        self._measured = tf.function(self._terms, autograph=False)
        needs = {
            "evidence": evidence,
            "explain_evidence": evidence,
            "recommend": nodes,
        }
        self._signatures = {
            name: as_signature(name, getattr(self, name))
            for name in INPUTS
            if needs.get(name, self)
        }

    def score(self, source: tf.Tensor, target: tf.Tensor) -> Outputs:
        """Scores pairs of texts, `[batch]`, by the text term and shared words."""
        return {"score": tf.add_n(list(self.explain(source, target).values()))}

    def explain(self, source: tf.Tensor, target: tf.Tensor) -> Outputs:
        """Returns the parts of `score`, text term and shared words, `[batch]`."""
        near, far = self._encoder.pairs(*map(self._encoder.of_texts, (source, target)))
        term = self._weighed(self.model.text_term(near, far))
        if not self._evidence:
            return {"text": term}
        return {"text": term, "words": self._evidence.words(source, target)}

    def score_nodes(self, source: tf.Tensor, target: tf.Tensor) -> Outputs:
        """Scores pairs of nodes, `[batch]`, by all four terms and all evidence."""
        source, target = map(self._encoder.known, (source, target))
        score = self._weighed(tf.reduce_sum(self._terms(source, target), -1))
        if self._evidence:
            score += self._evidence.of_nodes(source, target)
        if not self._nodes:
            return {"score": score}
        source_name, target_name = map(self._nodes.names, (source, target))
        return {"score": score, "source_name": source_name, "target_name": target_name}

    def explain_nodes(self, source: tf.Tensor, target: tf.Tensor) -> Outputs:
        """Returns the parts of `score_nodes`: terms `[batch, 4]`, and evidence."""
        source, target = map(self._encoder.known, (source, target))
        terms = self._weighed(self._terms(source, target))
        none = tf.zeros_like(terms[:, 0])
        evidence = self._evidence.of_nodes(source, target) if self._evidence else none
        return {"terms": terms, "evidence": evidence}

    def score_new(
        self, source: tf.Tensor, structure: tf.Tensor, target: tf.Tensor
    ) -> Outputs:
        """Returns the terms of new nodes with known ones, `[batch, 4]`.

        Args:
            source: The texts of the new nodes, `[batch]`.
            structure: Their structure vectors, `[batch, d]`.
            target: Ids of known nodes, `[batch]`.
        """
        target = self._encoder.known(target)
        texts = self._encoder.of_texts(source), self._encoder.of_nodes(target)
        near, far = self._encoder.pairs(*texts)
        other = self.model.structure_of(target)
        terms = self.model.pair_terms(near, structure, far, other)
        return {"terms": self._weighed(terms)}

    def recommend(self, nodes: tf.Tensor, top: tf.Tensor) -> Outputs:
        """Finds the likeliest missing edges of nodes.

        Evidence, or else structure vectors, names candidates that are not training
        neighbours; the score ranks them.

        Args:
            nodes: Node ids, `[batch]`.
            top: The number of answers for each node.

        Returns:
            `nodes`, `names` and `scores`, each `[batch, top]`, best first; -1, an empty
            name and -inf if there are no more.
        """
        assert self._nodes is not None
        nodes, count = self._encoder.known(nodes), self._encoder.count
        rows = self._nodes.without_neighbours(self._first_stage(nodes), nodes)
        most = tf.clip_by_value(tf.cast(top, tf.int32), 1, count)
        rough = tf.math.top_k(rows, tf.minimum(tf.maximum(most, CANDIDATES), count))
        candidates = tf.cast(rough.indices, tf.int64)
        sources = tf.repeat(nodes, tf.shape(candidates)[1])
        scores = self.score_nodes(sources, tf.reshape(candidates, [-1]))["score"]
        scores = tf.reshape(scores, tf.shape(candidates))
        closed = tf.math.is_inf(rough.values)
        best = tf.math.top_k(tf.where(closed, -np.inf, scores), most)
        found = tf.gather(candidates, best.indices, batch_dims=1)
        found = tf.where(tf.math.is_inf(best.values), np.int64(-1), found)
        names = self._nodes.names(found)
        return {"nodes": found, "names": names, "scores": best.values}

    def _first_stage(self, nodes: tf.Tensor) -> tf.Tensor:
        """Scores nodes with all nodes by the first stage, `[batch, nodes]`."""
        if self._evidence:
            return self._evidence.rows(nodes)
        structure = self.model.structure_of(tf.range(self._encoder.count))
        return tf.gather(structure, nodes) @ tf.transpose(structure)

    def _terms(self, source: tf.Tensor, target: tf.Tensor) -> tf.Tensor:
        """Returns the terms ss, tt, ts and st of pairs of nodes, `[batch, 4]`."""
        near, far = self._encoder.pairs(*map(self._encoder.of_nodes, (source, target)))
        structure, other = map(self.model.structure_of, (source, target))
        return self.model.pair_terms(near, structure, far, other)

    def _weighed(self, own: tf.Tensor) -> tf.Tensor:
        return self._evidence.weight * own if self._evidence else own

    def weigh_evidence(self, seed: int) -> None:
        """Sets the weight of the model's own score, as it is now, against the evidence.

        Args:
            seed: The seed of the pairs over which its spread is measured.
        """
        if self._evidence:
            count = self._encoder.count
            drawn = np.random.default_rng(seed).integers(count, size=(2, PAIRS))
            scores = self._measured(*map(tf.constant, drawn)).numpy().sum(axis=1)
            self._evidence.weigh(float(scores.std()))

    def evidence(self, nodes: tf.Tensor) -> Outputs:
        """Returns the evidence of nodes with all nodes, `[batch, nodes]`."""
        assert self._evidence is not None
        return {"evidence": self._evidence.rows(self._encoder.known(nodes))}

    def explain_evidence(self, source: tf.Tensor, target: tf.Tensor) -> Outputs:
        """Returns the parts of the evidence of pairs of nodes, `[batch, parts]`.

        A large network has a part for each feature, in the order of evidence.json;
        otherwise there is one part for all features.
        """
        assert self._evidence is not None
        sides = map(self._encoder.known, (source, target))
        return {"parts": self._evidence.parts(*sides)}

    def embed(self, text: tf.Tensor, context: tf.Tensor) -> Outputs:
        """Embeds texts, each with another as context, `[batch, d]`."""
        texts = map(self._encoder.of_texts, (text, context))
        return {"embedding": self._encoder.pairs(*texts)[0]}

    def embed_text(self, text: tf.Tensor) -> Outputs:
        """Embeds texts, each with itself as context, `[batch, d]`."""
        own = self._encoder.of_texts(text)
        return {"embedding": self._encoder.pairs(own, own)[0]}

    def embed_nodes(self, nodes: tf.Tensor, contexts: tf.Tensor) -> Outputs:
        """Embeds nodes, each given another: structure, then text, `[batch, 2d]`."""
        nodes, contexts = map(self._encoder.known, (nodes, contexts))
        texts = map(self._encoder.of_nodes, (nodes, contexts))
        text = self._encoder.pairs(*texts)[0]
        return {"embedding": tf.concat([self.model.structure_of(nodes), text], -1)}

    def plan(self, source: tf.Tensor, target: tf.Tensor) -> Outputs:
        """Matches the words of two texts: returns words and a weight for each pair.

        `attention` is WANE's softmax on the same word vectors, for comparison.
        """
        left, right = map(self._encoder.ids, (source, target))
        split = self._encoder.tokenizer.split
        return {
            "source_words": split(source).to_tensor(),
            "target_words": split(target).to_tensor(),
            "plan": self._encoder.matched(self.model.match, left, right),
            "attention": self._encoder.matched(self._attend, left, right),
        }

    def _attend(self, left: tf.Tensor, right: tf.Tensor) -> tf.Tensor:
        source, source_mask = self.model.look_up(left)
        target, target_mask = self.model.look_up(right)
        masks = {"source_mask": source_mask, "target_mask": target_mask}
        return self._softmax(source, target, **masks)[2]

    @property
    def weights(self) -> Mapping[str, Any] | None:
        """The functions of the evidence, as JSON values, if there is evidence."""
        return self._evidence.weights if self._evidence else None

    def signatures(self) -> dict[str, Any]:
        """Returns the signatures as functions of tensors by name.

        They have the inputs and outputs of the loaded SavedModel's, and use the model's
        values at the time of the call.
        """
        return dict(self._signatures)

    def export(self, path: Path) -> None:
        """Writes the SavedModel, with weights stored once, in place of an older one."""
        archive = keras.export.ExportArchive()
        archive.track(self._encoder.tokenizer)
        if self._evidence:
            archive.track(self._evidence.words)
        if self._nodes:
            archive.track(self._nodes)
        for name, function in self._signatures.items():
            archive.add_endpoint(name, of_any_integers(name, function))
        with new_folder(path) as draft:
            try:
                archive.write_out(str(draft), verbose=False)
            except tf.errors.OpError as error:
                raise _system_error(error, path) from error
            if self.weights:
                write_json(draft / WEIGHTS, self.weights)


def _system_error(error: tf.errors.OpError, path: Path) -> OSError:
    """Returns the OSError behind an error of TensorFlow, which hides it."""
    said = " ".join(error.message.split())
    full = any(own in said for own in ("No space left", "File too large", "quota"))
    if full or isinstance(error, tf.errors.ResourceExhaustedError):
        return OSError(errno.ENOSPC, said, str(path))
    return OSError(errno.EIO, said[:200], str(path))
