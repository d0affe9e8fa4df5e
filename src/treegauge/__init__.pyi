"""treegauge tells people who build parsers and treebanks what their scores mean.

Written by tools/face.py from the verbs; run `python -m tools.face` after a change.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from os import PathLike
    from treegauge.auditing.agree import Agreement
    from treegauge.auditing.audit import Audit, Fail, Only
    from treegauge.auditing.diff import By, Diff
    from treegauge.auditing.review import WorkList
    from treegauge.auditing.triage import Triage
    from treegauge.core.lazy import pl
    from treegauge.core.result import Result
    from treegauge.experiments.cells import Expansion
    from treegauge.experiments.previews import Preview
    from treegauge.experiments.results import StoreResults
    from treegauge.experiments.store import Merged, Removed, Status
    from treegauge.experiments.training import RunSummary
    from treegauge.learning.contribution import Contributions
    from treegauge.learning.curves.class_counts import Attachments
    from treegauge.learning.curves.complexity import Complexities
    from treegauge.learning.curves.equivalents import Equivalents
    from treegauge.learning.curves.score_grid import Curves
    from treegauge.learning.dynamics.usable_information import Null
    from treegauge.learning.map import TreebankMaps
    from treegauge.learning.training_settings import FilePath, JoinedResult
    from treegauge.learning.weights import SourceWeights
    from treegauge.measures.measure import Split
    from treegauge.measures.measurements import Measures
    from treegauge.papers.study import Paper, StudyResult
    from treegauge.parsing.base import Model
    from treegauge.parsing.parse import Parsed
    from treegauge.parsing.tag import Tagging
    from treegauge.parsing.train import Training
    from treegauge.ranking.certificate import Certificate
    from treegauge.ranking.certify import Grouping
    from treegauge.ranking.claims import Claim
    from treegauge.ranking.compare import Comparison
    from treegauge.ranking.design import SamplePlan
    from treegauge.ranking.leaderboard import Ranks, SystemComparison
    from treegauge.ranking.reading import Missing
    from treegauge.ranking.recommend import Recommendation
    from treegauge.ranking.stability.named_subsets import Constraint
    from treegauge.ranking.stability.outliers import ClassColumn, Outliers
    from treegauge.ranking.standings import Standings
    from treegauge.reporting.report import Page
    from treegauge.scoring.breakdown import Output
    from treegauge.scoring.classes.class_scores import Breakdowns
    from treegauge.scoring.score import Beside, Test, Correction as _Correction, Output as _Output
    from treegauge.scoring.vote import Combination, Output as __Output
    from treegauge.splitting.split import Objective, SizeUnit, Split as _Split
    from treegauge.statistics.data_table import Tables
    from treegauge.statistics.variables import Analysis, Coefficient, Correction, Names
    from treegauge.treebanks.catalogue import Catalogue
    from treegauge.treebanks.convert import NewTreebank
    from treegauge.treebanks.fetch import Fetched
    from treegauge.treebanks.published import PublishedScores
    from treegauge.treebanks.show import Drawings
    from treegauge.treebanks.sources.files import Errors, Source
    from treegauge.validation.report import ValidationReport
    from typing import Any, IO, Literal

    from treegauge import data as data
    from treegauge.core.errors import TreegaugeError as TreegaugeError
    from treegauge.experiments.cell_store import Store as Store
    from treegauge.experiments.plans import Plan as Plan
    from treegauge.experiments.plans import grid as grid
    from treegauge.measures.structure import average_wde as average_wde
    from treegauge.measures.structure import word_dependency_entropy as word_dependency_entropy
    from treegauge.parsing.registry import load_model as load_model
    from treegauge.parsing.registry import make_parser as make_parser
    from treegauge.parsing.registry import parsers as parsers
    from treegauge.ranking.leaderboard import Leaderboard as Leaderboard
    from treegauge.ranking.reading import read_leaderboard as read_leaderboard
    from treegauge.reporting.figures.drawing import draw as draw
    from treegauge.scoring.alignment.align import align as align
    from treegauge.scoring.alignment.segmentation import MismatchError as MismatchError
    from treegauge.scoring.classes.classification import classify as classify
    from treegauge.scoring.classes.confusion import confusion as confusion
    from treegauge.scoring.metrics.convention import Convention as Convention
    from treegauge.scoring.metrics.convention import ELAS as ELAS
    from treegauge.scoring.metrics.convention import EULAS as EULAS
    from treegauge.scoring.metrics.convention import LAS as LAS
    from treegauge.scoring.metrics.convention import UAS as UAS
    from treegauge.scoring.metrics.convention import WLAS as WLAS
    from treegauge.scoring.metrics.registry import packaged_weights as packaged_weights
    from treegauge.scoring.metrics.registry import read_weights as read_weights
    from treegauge.scoring.metrics.registry import register_metric as register_metric
    from treegauge.scoring.scores import Scores as Scores
    from treegauge.scoring.suite import Suite as Suite
    from treegauge.testing.grammar import Grammar as Grammar
    from treegauge.testing.synthetic import synthesise as synthesise
    from treegauge.testing.synthetic import synthetic as synthetic
    from treegauge.treebanks.data import trees as trees
    from treegauge.treebanks.data.columns import Treebank as Treebank
    from treegauge.treebanks.data.columns import concat as concat
    from treegauge.treebanks.data.conllu import parse_conllu as parse_conllu
    from treegauge.treebanks.data.conllu import read_conllu as read_conllu
    from treegauge.treebanks.data.conllu import read_splits as read_splits
    from treegauge.treebanks.data.conllu import stream_conllu as stream_conllu
    from treegauge.treebanks.data.conllu import write_conllu as write_conllu
    from treegauge.treebanks.data.frames import from_frame as from_frame
    from treegauge.treebanks.data.problems import ConlluError as ConlluError
    from treegauge.treebanks.data.sentence import Sentence as Sentence
    from treegauge.treebanks.sources.resolver import read_treebank as read_treebank

__version__: str

def agree(
    *annotations: Any,
    by: Sequence[str] | str = (),
    disagreements: bool = False,
    units: Literal['auto', 'documents', 'sentences'] = 'auto',
    level: float = 0.95,
    seed: int = 0,
    convention: str | Convention = 'official',
    errors: Errors = 'strict',
    allow: Sequence[str] = (),
) -> Agreement:
    """Measure inter-annotator agreement and list the disagreements.

    Needs the same sentences annotated by two or more people. Shows observed agreement, Cohen's
    kappa (Fleiss' kappa for more than two annotators) and Krippendorff's alpha for each layer, with
    confidence intervals. For trees, alpha uses tree edit distance. Also shows UAS and LAS in both
    directions and the most frequent confusions.

    Parameters
    ----------
    *annotations
        Annotated files, one per annotator: PATH or NAME=PATH. Files with the same text may differ
        in sentences and tokens; otherwise sentences are matched by sent_id and may be missing.
    by
        Also show the classes of these layers: upos, xpos, feats or deprel; repeatable.
    disagreements
        Add the disagreements as a work list, systematic ones first; CSV output contains this list.
    units
        Units of resampling: documents, sentences, or auto (documents if the first file marks more
        than one with "# newdoc", else sentences).
    level
        Confidence level of intervals; tests use alpha = 1 - level.
    seed
        Seed of the random pairs of trees that give the expected distance.
    convention
        What counts: official (CoNLL 2018), challenges or no-punct (no punctuation), difficulty or
        subtypes (subtypes compared), or no-punct+subtypes.
    errors
        Malformed sentences: strict refuses the file, skip leaves them out, repair repairs them.
    allow
        Problems of trees to allow: several-roots, no-root or cycle.

    Returns
    -------
    Agreement
        The layers are: ends of sentences and tokens (items are tokens and characters), number of
        words per token, the columns, heads (as distances in words), and whole trees. For words,
        items are those that at least two annotators have.

    Examples
    --------
    >>> import treegauge as tg
    >>> first = tg.synthetic(40, seed=1)
    >>> nouns = ["NOUN" if tag == "PROPN" else tag for tag in first["upos"]]
    >>> agreed = agree({"ann": first}, {"bob": first.with_columns({"upos": nouns})})
    >>> agreed.table.filter(layer="upos")["observed"].round(1).item()
    97.7
    """

def analyse(
    tables: Tables,
    target: str | None = None,
    of: Names = (),
    given: Names = (),
    *,
    on: Names = (),
    where: Sequence[str] = (),
    method: Coefficient = 'spearman',
    by: str | None = None,
    correction: Correction = 'benjamini-hochberg',
    cluster: str = 'genus',
    level: float = 0.95,
    resamples: int = 2000,
    seed: int = 0,
) -> Analysis:
    """Explain scores: correlate columns with a target, alone and given covariates.

    Covariates are added one at a time. Shows intervals by formula and bootstrap (BCa), adjusted r²,
    p-values (also adjusted for their number), the smallest detectable coefficient, and the
    strongest of several columns, corrected for selection. Treebanks of one genus resemble each
    other, which intervals and p-values take into account. A note explains each missing value.
    Without a target, all pairs of columns are correlated. With --on, a linear model of the target
    is fitted instead.

    Parameters
    ----------
    tables
        ud25, ud26, difficulty_table1, published, or files with one row per treebank: CSV, TSV, Parquet, or the JSON
        of measure or score. Several tables are joined by treebank. In Python also frames,
        dictionaries of columns and results.
    target
        Column to explain, such as las; log(COLUMN) takes the logarithm of any column.
    of
        Columns that may explain it, as a,b or repeated; by default all other numeric columns.
    given
        Covariates, as a,b or repeated.
    on
        Predictors of a linear model, as a,b or repeated: coefficients, relative importance, and
        the error on unseen rows.
    where
        A condition on a column of each table, such as release=2.5 or 'words >= 30000'.
    method
        Coefficient of correlation.
    by
        Repeat for each value of this column; COLUMN:mean, COLUMN:median or COLUMN:NUMBER divides
        its values in two there.
    correction
        Adjustment of p-values for their number: controls the false discovery rate
        (benjamini-hochberg) or the family-wise error rate (holm, bonferroni).
    cluster
        Rows of one genus, family or language resemble each other, which intervals and p-values take
        into account. Groups come from treebank names, or from a column with this name. none treats
        rows as independent.
    level
        Confidence level of the intervals.
    resamples
        Bootstrap resamples; 0 for none.
    seed
        Seed of all random draws.

    Notes
    -----
    Sections 3.3, 4.2, 4.3 and 5 of the EDV paper. Formulas:
    :func:`treegauge.statistics.correlation_coefficients.partial` for the coefficient,
    :func:`treegauge.statistics.correlation_coefficients.inference` for what follows from it.

    Examples
    --------
    >>> import treegauge as tg
    >>> result = tg.analyse("ud25", "las", "test_words", "train_words", resamples=0)
    >>> [round(row.inference.r, 3) for row in result.rows]
    [0.434, -0.158]
    >>> model = tg.analyse("ud25", "las", on="log(train_words),mean_test_length")
    >>> round(model.fit["adj_r2"], 3), [round(row["importance"], 1) for row in model.rows]
    (0.503, [87.8, 12.2])
    """

def audit(
    *treebanks: Source | Treebank | Mapping[str, Treebank],
    against: Sequence[Source] = (),
    only: Only | None = None,
    similarity: float = 0.7,
    candidates: Source | None = None,
    resamples: int = 999,
    seed: int = 0,
    fail: Fail = 'error',
    all: bool = False,
    errors: Errors = 'strict',
) -> Audit:
    """Find train/test overlap, duplicates, missing layers and unusual splits in treebanks.

    Errors mean that scores on this data mislead, warnings should be examined, and notes list checks
    with expected results.

    Parameters
    ----------
    *treebanks
        Treebank folders such as UD_Greek-GDT, their names or codes, or splits by name.
    against
        Training data in which to look for the treebanks' sentences: treebanks, CoNLL-U files, or
        plain text with one sentence per line.
    only
        Show one thing only, also of single CoNLL-U files: leaks lists sentences that occur twice,
        consistency words that are attached differently from the same words elsewhere, both within
        and across the treebanks; card summarises each treebank (size, layers, validity,
        consistency, leaks and difficulty), several in a table.
    similarity
        Minimum similarity of near-duplicates: 1 - edit distance / length of the longer sentence, in
        characters; 1 finds only equal sentences.
    candidates
        A CSV file written by ``map --candidates-out``, to be joined with the list of
        inconsistent words.
    resamples
        Number of random splits to compare with each real one; 0 for no comparison.
    seed
        Random seed; the same seed gives the same result.
    fail
        The lowest level that gives exit code 1.
    all
        Show the notes, all sentences that occur twice, and all inconsistent words.
    errors
        Malformed sentences: strict refuses the file, skip leaves them out, repair repairs them.

    Examples
    --------
    >>> import treegauge as tg
    >>> train = tg.synthetic(60, seed=1)
    >>> test = tg.concat([tg.synthetic(20, seed=2), train[:5]])
    >>> found = audit({"train": train, "test": test}, resamples=99)
    >>> found.table.select("check", "level", "value").row(0)
    ('leak', 'error', 4.0)
    """

def breakdown(
    gold: Output,
    *systems: Output | Mapping[str, Any],
    by: str | Sequence[str] = ('relation',),
    where: Sequence[str] = (),
    skip: int = 0,
    confusion: str | None = None,
    overlap: int = 0,
    calibration: bool = False,
    metric: str = 'LAS',
    convention: str | Convention = 'official',
    correction: Literal['holm', 'bonferroni', 'benjamini-hochberg'] = 'holm',
    units: Literal['auto', 'documents', 'sentences'] = 'auto',
    level: float = 0.95,
    errors: Literal['strict', 'skip', 'repair'] = 'strict',
    allow: Sequence[str] = (),
    align: Literal['exact', 'loose'] = 'exact',
) -> Breakdowns:
    """Show where systems go wrong: scores by class of words, confusion matrix, overlap, calibration.

    The errors of two systems by relation, over seeds and treebanks as in score; as a table for a paper; the sentences
    with the errors of one::

        treegauge breakdown gold runs/careful runs/hasty
        treegauge breakdown gold runs/careful runs/hasty -o errors.tex
        treegauge breakdown gold runs/careful runs/hasty --where hasty=wrong

    Parameters
    ----------
    gold
        The gold file, or a folder of gold files; treebanks that lack output of a system are left
        out. In Python also a mapping from names to treebanks.
    *systems
        System files or folders, as PATH or NAME=PATH, or stores; repeat a NAME for several runs. In
        Python also treebanks, and mappings from names to outputs. Scores are means over runs and
        treebanks, other counts are added. The differences of two systems are tested in each class.
    by
        Classes: relation, upos, direction, distance, depth, length, projectivity, head-upos,
        position, feats:NAME, doc, comment:KEY or sent_id:REGEX; upos,direction crosses two.
        Repeatable.
    where
        Draw the sentences with words that meet all conditions: NAME=wrong, right or missing for a
        system, 'NAME relation=obj', 'NAME head=3'; right=0 (no system is right), wrong>=2; of gold
        relation, upos, form, lemma, any class of --by (direction, depth, doc, feats:Case ...), arc
        (words to the head) and words (of the sentence), such as 'arc>=7'.
    skip
        With where: the number of sentences to skip; ten are drawn at a time, files have all.
    confusion
        Confusion matrix of relation, head-upos, upos or another class.
    overlap
        List the errors that the best N systems share, and those that only one of them makes.
    calibration
        Show how well the systems' probabilities (HeadProb and DeprelProb in MISC, tree_prob) are
        calibrated, and the scores without the least certain sentences.
    metric
        What counts as correct: LAS, UAS, Label, UPOS, XPOS, UFeats, Lemmas, Words, or a registered
        metric.
    convention
        What counts: official (CoNLL 2018), challenges or no-punct (no punctuation), difficulty or
        subtypes (subtypes compared), or no-punct+subtypes.
    correction
        Correction of p-values for the number of classes.
    units
        Units of the tests: documents, sentences, or auto (documents if gold has "# newdoc"
        comments, else sentences).
    level
        Confidence level of intervals; tests use alpha = 1 - level.
    errors
        Malformed sentences: strict refuses the file, skip leaves them out, repair repairs them.
    allow
        Problems of trees to allow: several-roots, no-root or cycle.
    align
        exact: gold and system must contain the same characters; loose: also align words where
        characters differ, as in the output of language models.

    Returns
    -------
    Breakdowns
        The scores of each class; what else was requested is attached.

    Examples
    --------
    >>> import treegauge as tg
    >>> gold = tg.synthetic(20, seed=1)
    >>> cells = tg.breakdown(gold, {"mine": gold}, by="upos")
    >>> cells["mine"].table.columns[:3], cells["mine"].errors("NOUN")
    (['class', 'gold', 'system'], [])
    """

def catalogue(
    roots: Source | Sequence[Source] = (),
    *,
    find: Sequence[str] = (),
    where: Sequence[str] = (),
    paths: bool = False,
    count: bool = True,
) -> Catalogue:
    r"""List treebanks on disk with languages, licences and sizes.

    treegauge catalogue ud --where 'words >= 30000' --where 'features >= 0.25' --where 'genus = Slavic,Baltic'

    Parameters
    ----------
    roots
        Folders of releases (r2.9/UD_Greek-GDT, ud-treebanks-v2.9/UD_Greek-GDT) or of treebanks
        (UD_Greek-GDT), or treebank folders; by default the folder in the environment variable
        TREEGAUGE_UD.
    find
        List only these names, codes, languages or families, such as el_gdt@2.9.
    where
        A condition on a column of the table, such as 'words >= 30000' or 'licence = CC BY-SA*';
        several must all hold.
    paths
        Print only the folders.
    count
        Read the files to count sizes; without it, the list appears at once.

    Examples
    --------
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp(), "r2.9", "UD_Greek-GDT")
    >>> folder.mkdir(parents=True)
    >>> text = "1\tΝαι\tναι\tINTJ\t_\t_\t0\troot\t_\t_\n\n"
    >>> _ = (folder / "el_gdt-ud-test.conllu").write_text(text, encoding="utf-8")
    >>> greek = catalogue(folder.parents[1]).find("el_gdt@2.9")
    >>> greek.language.family, greek.total.words, greek.read("test")
    ('Indo-European', 1, <Treebank UD_Greek-GDT/test: 1 sentences, 1 words>)
    """

def certify(
    *scores: Any,
    claim: str | Claim,
    treebanks: Sequence[str] = (),
    size: int | str | None = None,
    constraint: Sequence[str | Constraint] = (),
    subsets: int = 100000,
    cluster: Grouping = 'genus',
    margin: float | None = None,
    level: float = 0.95,
    seed: int = 0,
    metric: str = 'LAS',
    missing: Missing = 'error',
    metadata: str | PathLike[str] | pl.DataFrame | None = None,
    gold: str | PathLike[str] | Treebank | None = None,
    where: Sequence[str] = (),
) -> Certificate:
    """Report the evidence for the claim that one system beats another.

    One paragraph to paste into a paper: mean difference with its confidence interval, one primary
    significance test, win rates over subsets of treebanks, the families in which the claim fails,
    and the smallest number of treebanks without which it would fail.

    Parameters
    ----------
    *scores
        conll18, tables of scores, stores or results.
    claim
        The claim, such as "A > B".
    treebanks
        Only these treebanks: a named subset (such as Ma18) or codes separated by commas. The search
        for changes that make the claim fail then also tries other treebanks.
    size
        Sizes of subsets for win rates: 10, 5-20 or 5,10,20. Default: 5, 10, 20 and 40, or half of
        the treebanks if there are few.
    constraint
        Constraint on subsets, such as language:1; win rates are then sampled. Without a constraint,
        all subsets are counted.
    subsets
        The number of random subsets of each size, if they are sampled.
    cluster
        Column that groups treebanks: intervals leave out one group at a time, and the primary test
        uses one value per group. A treebank whose group is unknown is a group of its own.
    margin
        Margin in points for tests of equivalence, non-inferiority and superiority.
    level
        Confidence level of intervals; tests use alpha = 1 - level.
    seed
        Random seed; the same seed gives the same result.
    metric
        Metric to compare systems by; upper or lower case.
    missing
        How to treat missing scores; averages never skip them. keep: compare systems over the
        treebanks that they share, in rank and in rank compare --test bradley-terry.
    metadata
        Table with a column treebank or name and any of language, tokens, family, stock, genus and
        resource. Languages and genera are known from names, and all columns for treebanks of the
        CoNLL 2018 shared task.
    gold
        The gold file or folder, if SCORES are system files or folders, as PATH or NAME=PATH. They
        are scored first, as by score; runs of one NAME are averaged, and failed output is missing.
        Not needed if it is first among SCORES, all others are NAME=PATH, or it alone has folders of treebanks.
    where
        A condition on a column of the table of scores, such as release=2.5, 'input=raw text' or
        'words >= 30000'; several must all hold.

    Examples
    --------
    >>> print(certify("conll18", claim="HIT-SCIR > Stanford").text[94:174])
    On new treebanks: yes, HIT-SCIR is better than Stanford by 3.55 LAS points (95 %
    """

def check(
    *sources: Source,
    split: str | None = None,
    ud_level: int = 3,
    lang: str | None = None,
    rules: str | PathLike[str] | None = None,
    warnings: bool = True,
    strict: bool = False,
    include: str | Sequence[str] = (),
    exclude: str | Sequence[str] = (),
    baseline: str | PathLike[str] | None = None,
    write_baseline: str | PathLike[str] | None = None,
    changed: str | None = None,
    fix: bool = False,
    explain: str | Sequence[str] = (),
    force: bool = False,
) -> ValidationReport:
    """Validate CoNLL-U files and list all problems.

    The tests are those of UD validation, with their official names. All files are treated as one
    treebank. The folder of a repository, such as UD_Greek-GDT, is tested, too: its files, names, sizes
    and metadata (level 0). At level 5 the result says whether it can be released. Each problem shows
    its file, line, column and sent_id, what was found and what was expected. The command exits with 1
    if there is an error.

    Parameters
    ----------
    *sources
        Files, folders, patterns, or names under TREEGAUGE_UD; - is standard input.
    split
        Check only this set (train, dev or test) of folders and patterns.
    ud_level
        Level of UD validation (udvalidate --level): 1 tests the CoNLL-U format (enough for files
        without trees), 2 also the UD format, 3 also rules for all languages, 4 also the labels of
        the language, 5 also its auxiliaries and copulas.
    lang
        Code of the language for levels 4 and 5, such as el; by default taken from the file names.
    rules
        Language data for levels 4 and 5: a folder with the official files, or a packed file. By
        default the environment variable TREEGAUGE_RULES, else the packaged data.
    warnings
        List warnings as well as errors.
    strict
        Fail on warnings as well.
    include
        Run only these tests, by name, separated by commas.
    exclude
        Run all tests except these.
    baseline
        A file of known problems; only new ones are listed and counted.
    write_baseline
        Write all problems to this file, as a baseline for later checks.
    changed
        A git commit, branch or tag; only problems of sentences that changed since then are listed
        and counted.
    fix
        Print repairs of what has one correct answer, as a unified diff: white space, line ends,
        numbers of words, SpaceAfter, and the order of features, relations and attributes. -o
        FILE.patch writes it; git apply applies it.
    explain
        Say what these tests ask for, with an example that fails and its repair, and check nothing.
    force
        Overwrite an existing file of another kind; an input is never overwritten.

    Examples
    --------
    >>> from treegauge.testing.synthetic import synthetic
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "a.conllu"
    >>> _ = path.write_bytes(synthetic(20, seed=1).to_bytes().replace(b"root", b"Root"))
    >>> report = check(path, include="invalid-deprel")
    >>> report.errors, report.problems[0].id, report.exit_code
    (20, 'invalid-deprel', 1)
    """

def convert(
    source: Treebank | Source,
    out: str | PathLike[str] | None = None,
    *,
    split: str | None = None,
    errors: Errors = 'strict',
    sample: int | None = None,
    seed: int = 0,
    force: bool = False,
) -> NewTreebank:
    """Convert CoNLL-U to tables and back, and answers of language models; repair and sample.

    Tables contain every row and comment, so converting back loses nothing. Trees in an answer may be
    in any format: chat text is left out, and a comment says for each sentence what was assumed.

    Parameters
    ----------
    source
        A CoNLL-U file (compressed or not), a table, a treebank folder or a name under TREEGAUGE_UD;
        - is standard input. The answer of a language model ends in .txt, .md, .json or .jsonl.
    out
        The file to write; its ending sets the format: .conllu (also .gz .xz .bz2 .zst), .parquet,
        .arrow, .csv, .tsv. By default, and for -, CoNLL-U is printed.
    split
        Convert only this set (train, dev or test) of a treebank folder.
    errors
        What to do about malformed sentences; text without trees (_ in HEAD) is not malformed.
    sample
        Keep this number of sentences, drawn at random.
    seed
        Random seed; the same seed gives the same result.
    force
        Overwrite an existing file of another kind; an input is never overwritten.

    Examples
    --------
    >>> import treegauge as tg
    >>> convert(tg.synthetic(30, seed=1), sample=10).treebank
    <Treebank syn-1: 10 sentences, 143 words>
    """

class _Curve:
    """Learning curves, complexity of classes, data-size equivalents and advice.

    The curve of a class is its score by training set size, averaged over training samples and then
    over the treebanks with enough words of the class.

    Parameters
    ----------
    *sources
        Tables of counts (.csv, .parquet), as ``curve counts`` makes them, or stores of ``run``.
    classes
        Only these classes; repeatable. By default all; laws are fitted to all words together.
    composite
        Sum over simple and complex classes, by the curves of this parser; own: each parser's.
    treebank
        The treebank whose curve to use; each: one curve per treebank. By default the average.
    relative
        Show scores in percent of the score at the largest size, in text and figure.
    law
        Fit a law and predict scores: power (a - b n^-c, with the asymptote a) or log (a + b ln n,
        without one); repeatable. A mixture of laws predicts scores with intervals that were checked
        on held-out sizes. Notes say when the data do not identify a law.
    at
        Sizes to predict scores for; by default 2 and 4 times the largest. Scores are cut at 100.
    parser
        Only these parsers; repeatable.
    sizes
        Only these training set sizes, such as 5,10,20.
    min_words
        The smallest number of test words for a class to count in a treebank.
    level
        Confidence level of the intervals.
    resamples
        Number of random draws for intervals.
    over
        The source of variation: training samples, or treebanks (with their samples).
    seed
        Seed of the draws.

    Returns
    -------
    Curves
        One row per parser, treebank, class and size. The attached ``fits``, one per parser and
        treebank, have the parameters of laws with intervals, which are valid if the law is.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import treegauge as tg
    >>> home = Path(tempfile.mkdtemp())
    >>> (home / "UD_Syn-X").mkdir()
    >>> for seed, part in enumerate(("train", "test")):
    ...     file = home / "UD_Syn-X" / f"sy_x-ud-{part}.conllu"
    ...     tg.write_conllu(tg.synthetic(40, seed=seed), file)
    >>> counted = counts(home / "UD_Syn-X", parser="baseline", sizes="10,20", samples=2, workers=1)
    >>> curve(counted).table["size"].unique().to_list()
    [10, 20]
    """

    def __call__(
        self,
        *sources: Any,
        classes: Sequence[str] | str = (),
        composite: str | None = None,
        treebank: str | None = None,
        relative: bool = False,
        law: Sequence[Literal['power', 'log']] = (),
        at: Sequence[int | str] | str = (),
        parser: Sequence[str] | str = (),
        sizes: Sequence[int | str] | str = (),
        min_words: int = 30,
        level: float = 0.95,
        resamples: int = 1000,
        over: Literal['samples', 'treebanks'] = 'samples',
        seed: int = 0,
    ) -> Curves:
        """Learning curves, complexity of classes, data-size equivalents and advice.

        The curve of a class is its score by training set size, averaged over training samples and then
        over the treebanks with enough words of the class.

        Parameters
        ----------
        *sources
            Tables of counts (.csv, .parquet), as ``curve counts`` makes them, or stores of ``run``.
        classes
            Only these classes; repeatable. By default all; laws are fitted to all words together.
        composite
            Sum over simple and complex classes, by the curves of this parser; own: each parser's.
        treebank
            The treebank whose curve to use; each: one curve per treebank. By default the average.
        relative
            Show scores in percent of the score at the largest size, in text and figure.
        law
            Fit a law and predict scores: power (a - b n^-c, with the asymptote a) or log (a + b ln n,
            without one); repeatable. A mixture of laws predicts scores with intervals that were checked
            on held-out sizes. Notes say when the data do not identify a law.
        at
            Sizes to predict scores for; by default 2 and 4 times the largest. Scores are cut at 100.
        parser
            Only these parsers; repeatable.
        sizes
            Only these training set sizes, such as 5,10,20.
        min_words
            The smallest number of test words for a class to count in a treebank.
        level
            Confidence level of the intervals.
        resamples
            Number of random draws for intervals.
        over
            The source of variation: training samples, or treebanks (with their samples).
        seed
            Seed of the draws.

        Returns
        -------
        Curves
            One row per parser, treebank, class and size. The attached ``fits``, one per parser and
            treebank, have the parameters of laws with intervals, which are valid if the law is.

        Examples
        --------
        >>> import tempfile
        >>> from pathlib import Path
        >>> import treegauge as tg
        >>> home = Path(tempfile.mkdtemp())
        >>> (home / "UD_Syn-X").mkdir()
        >>> for seed, part in enumerate(("train", "test")):
        ...     file = home / "UD_Syn-X" / f"sy_x-ud-{part}.conllu"
        ...     tg.write_conllu(tg.synthetic(40, seed=seed), file)
        >>> counted = counts(home / "UD_Syn-X", parser="baseline", sizes="10,20", samples=2, workers=1)
        >>> curve(counted).table["size"].unique().to_list()
        [10, 20]
        """

    def counts(
        self,
        *sources: Any,
        parser: Sequence[str] | str = (),
        preset: str | None = None,
        option: Sequence[str] | Mapping[str, Any] = (),
        sizes: Sequence[int | str] | str = (),
        samples: int = 5,
        store: Store | str | PathLike[str] | None = None,
        root: str | PathLike[str] | None = None,
        workers: int | None = None,
        by: str | None = None,
        metric: str | None = None,
        convention: str | Convention = 'official',
        force: bool = False,
    ) -> Attachments:
        """Count correct words by class, after training on samples of every size.

        With a store, trainings are not repeated: after an interruption, the same call resumes. The
        other verbs read the counts, which contain no text.

        Parameters
        ----------
        *sources
            Treebanks to train on (folders, patterns, names), stores of ``run``, or counts.
        parser
            Parser to train (beam by default), or to choose from counts; repeatable. 'mst epochs=5' sets
            options of this one.
        preset
            Start from the options of a publication, such as mstparser.
        option
            Option of the parser, such as epochs=5; repeatable.
        sizes
            Training set sizes in sentences, such as 5,10,20. Default: all sizes in counts; for training
            5,10,20,50,100,200,500, and all sentences of a single treebank.
        samples
            Number of training samples per size.
        store
            Folder that stores the trainings; trainings in it are not repeated. By default none.
        root
            Folder of the treebanks that a store was trained on, or of their releases; by default
            TREEGAUGE_UD.
        workers
            Number of trainings at a time; by default one per processor.
        by
            Classes of words: upos, direction, relation, distance, depth, feats:Case ...; upos,direction
            (the default) crosses two.
        metric
            LAS (the default), UAS, or a registered metric.
        convention
            What counts: official (CoNLL 2018), challenges or no-punct (no punctuation), difficulty or
            subtypes (subtypes compared), or no-punct+subtypes.
        force
            Overwrite an existing file of another kind; an input is never overwritten.
        """

    def complexity(
        self,
        *sources: Any,
        per: Literal['pooled', 'language', 'treebank'] = 'pooled',
        min_presence: float = 0.0,
        matched: bool = False,
        parser: Sequence[str] | str = (),
        sizes: Sequence[int | str] | str = (),
        min_words: int = 30,
        level: float = 0.95,
        resamples: int = 1000,
        over: Literal['samples', 'treebanks'] = 'samples',
        seed: int = 0,
    ) -> Complexities:
        r"""Measure how much later each class is learned than words overall.

        COMPLEXITY is the area between the relative curve of all words and that of the class over
        ln(size), in percentage points: negative for simple classes, positive for complex ones.

        Parameters
        ----------
        *sources
            Tables of counts or stores of ``run``.
        per
            Complexity of the average curve of all treebanks (pooled), of each language, or of each
            treebank.
        min_presence
            Smallest share of treebanks with enough words of a class; other classes are left out.
        matched
            Compare with all words of the class's own treebanks, instead of all treebanks.
        parser
            Only these parsers; repeatable. Several are also compared, with rank correlations.
        sizes
            Only these training set sizes, such as 5,10,20.
        min_words
            The smallest number of test words for a class to count in a treebank.
        level
            Confidence level of the intervals.
        resamples
            Number of random draws for intervals.
        over
            The source of variation: training samples, or treebanks (with their samples).
        seed
            Seed of the draws.

        Returns
        -------
        Complexities
            A class without a correct word at the largest size has no curve in that treebank. Notes
            name the treebanks that an average depends on: relative curves are unbounded, so one
            treebank can dominate.

        Notes
        -----
        :math:`100 \int (S_s / S_{max} - S_s[C] / S_{max}[C])\, d\ln s` from the smallest to the largest
        size, where S is the score in the mean over training samples, relative in each treebank, then
        averaged over treebanks (Challenges, section 3.2).
        """

    def equivalent(
        self,
        *sources: Any,
        score: str | float | Sequence[str | float] | Mapping[str, float],
        treebank: str | None = None,
        composite: str | None = None,
        parser: str | None = None,
        min_words: int = 30,
        level: float = 0.95,
        resamples: int = 1000,
        over: Literal['samples', 'treebanks'] = 'samples',
        seed: int = 0,
    ) -> Equivalents:
        """Report how many annotated sentences a score is worth: where the learning curve reaches it.

        The curve is linear in ln(size) between sizes and made non-decreasing by isotonic regression.
        A score below the curve gives ``< 5``, a score above it ``> 500``: nothing is extrapolated.
        Intervals are those of the curve; scores are treated as exact.

        Parameters
        ----------
        *sources
            Tables of counts or stores of ``run``.
        score
            A score in percent, 66.1, or that of a class, simple=74; repeatable.
        treebank
            The treebank whose curve to use; by default the average over treebanks.
        composite
            Place scores on curves of simple and complex words, by the curves of this parser; own: each
            parser's, the default if their scores are given.
        parser
            The parser, if there are several.
        min_words
            The smallest number of test words for a class to count in a treebank.
        level
            Confidence level of the intervals.
        resamples
            Number of random draws for intervals.
        over
            The source of variation: training samples, or treebanks (with their samples).
        seed
            Seed of the draws.
        """

    def advise(
        self,
        *sources: Any,
        budget: int | None = None,
        gain: float | None = None,
        sentences: Any = None,
        have: int | None = None,
        worth: float = 1.0,
        treebank: str | None = None,
        parser: str | None = None,
        tags: Literal['gold', 'predicted'] | None = None,
        store: Store | str | PathLike[str] | None = None,
        workers: int | None = None,
        level: float = 0.95,
        seed: int = 0,
        force: bool = False,
    ) -> Result:
        """Predict the gain from annotating more sentences, overall and by class.

        With `sentences`, rank these sentences for annotation instead.

        On a treebank, parsers are trained first; the largest size is the whole training set. Between
        the measured sizes, a curve is linear in ln(size); beyond the largest, it follows a mixture of
        power laws and the logarithm. The width of intervals there comes from held-out sizes of other
        curves; their coverage is printed with them.

        Parameters
        ----------
        *sources
            Counts, stores of ``run``, or treebanks to train on.
        budget
            Number of further sentences that could be annotated. By default the data are doubled; with
            `sentences` it is 100.
        gain
            Report the number of further sentences that gain this many points, its interval, and the
            chance that the budget is enough.
        sentences
            Tagged sentences without trees (a CoNLL-U file): rank those to annotate next, by how much
            parsers trained on the treebank disagree, per word to annotate.
        have
            Number of annotated sentences; by default the largest size.
        worth
            Smallest gain in points for which a doubling of the data is worth it.
        treebank
            The treebank, if there are several.
        parser
            Parser to train (beam by default), or to choose from counts. 'mst epochs=5' sets options.
        tags
            UPOS that the parser reads: the file's (gold), or a tagger's that learns from the same
            sentences (predicted). By default the parser's, mostly gold; a note says which.
        store
            Folder that stores the trainings; trainings in it are not repeated, and other budgets, gains
            and verbs of `curve` can read it. By default none.
        workers
            Number of trainings at a time; by default one per processor.
        level
            Confidence level of intervals; tests use alpha = 1 - level.
        seed
            Seed of the draws for intervals, or of the parsers that disagree.
        force
            Overwrite an existing file of another kind; an input is never overwritten.

        Returns
        -------
        Result
            Advice: the gain, overall and by class. Classes follow the laws of the overall curve, so
            their contributions (share of words times gain in the class) add up to the overall gain,
            unless one is cut at 100. With `sentences`, ChosenSentences: the sentences in order, each
            with its reason.
        """

curve: _Curve

def demo(
    *,
    out: str | PathLike[str] = 'demo',
    seed: int = 1,
    subsets: int = 20000,
    force: bool = False,
) -> Page:
    """Run the main jobs on invented treebanks; ends with a page to open.

    Invents treebanks and parsers, then scores and ranks the parsers, makes data maps and learning
    curves. `treegauge report` makes the page from these files and the CoNLL 2018 scores.

    Parameters
    ----------
    out
        Folder for the files and the page.
    seed
        Seed of everything invented.
    subsets
        The number of random subsets of treebanks of each size.
    force
        Overwrite an existing file of another kind; an input is never overwritten.
    """

def design(
    *scores: Any,
    difference: float = 1.0,
    claim: str | None = None,
    units: Literal['auto', 'documents', 'sentences'] = 'auto',
    level: float = 0.95,
    at_most: Sequence[str | Constraint] = (),
    at_least: Sequence[str | Constraint] = (),
    include: Sequence[str] = (),
    exclude: Sequence[str] = (),
    metric: str = 'LAS',
    missing: Missing = 'error',
    metadata: str | PathLike[str] | pl.DataFrame | None = None,
    gold: str | PathLike[str] | Treebank | None = None,
    where: Sequence[str] = (),
) -> SamplePlan:
    """Report how many sentences, runs and treebanks an experiment needs to find a difference.

    How much differences vary is taken from a table of scores (conll18), or with --gold from the
    output of two or more systems of a pilot study. A table also gives the smallest set of treebanks.

    Parameters
    ----------
    *scores
        conll18, tables of scores, stores or results; with --gold system files or folders, as PATH or
        NAME=PATH. Repeat a NAME for several runs (seeds) of one system.
    difference
        The difference in points to be found with probability 0.8.
    claim
        Two systems of a table, such as "A > B", whose differences vary as yours will. Default: a
        typical pair, of those whose difference is close to the one to be found.
    units
        With --gold: documents, sentences, or auto (documents if gold has "# newdoc" comments, else
        sentences).
    level
        The level of the test is 1 - level.
    at_most
        Upper bounds, such as language:1, genus=Slavic:2, resource:stratified; or tokens:500000,
        the largest total number (treebanks of unknown size are then left out); repeatable.
    at_least
        Lower bounds, such as resource=small:1, or stock:1 for every value; repeatable.
    include
        A treebank that must be a member; repeatable.
    exclude
        A treebank that must not be a member; repeatable.
    metric
        Metric to compare systems by; upper or lower case.
    missing
        How to treat missing scores; averages never skip them. keep: compare systems over the
        treebanks that they share, in rank and in rank compare --test bradley-terry.
    metadata
        Table with a column treebank or name and any of language, tokens, family, stock, genus and
        resource. Languages and genera are known from names, and all columns for treebanks of the
        CoNLL 2018 shared task.
    gold
        The gold file or folder, if SCORES are system files or folders, as PATH or NAME=PATH. They
        are scored first, as by score; runs of one NAME are averaged, and failed output is missing.
        Not needed if it is first among SCORES, all others are NAME=PATH, or it alone has folders of treebanks.
    where
        A condition on a column of the table of scores, such as release=2.5, 'input=raw text' or
        'words >= 30000'; several must all hold.

    Examples
    --------
    >>> import treegauge as tg
    >>> plan = tg.design("conll18", difference=4, at_most=["language:1"])
    >>> plan.table.columns[:6], len(plan.subset) > 7
    (['a', 'b', 'unit', 'given', 'available', 'needed'], True)
    """

def diff(
    old: Treebank | Source,
    new: Treebank | Source = '',
    *,
    between: str | None = None,
    split: str | None = None,
    by: By = 'upos',
    all: bool = False,
    errors: Errors = 'strict',
) -> Diff:
    """Compare two versions of a treebank: sentences, words and every layer of annotation.

    Matches sentences by sent_id, text and similarity. Counts words added and removed, and says in at most 30 lines
    what changed. Lists systematic changes, which were made nearly everywhere they apply, separately from corrections
    of single words. Saved as .md, it is a draft of release notes.

    Parameters
    ----------
    old
        The old version: a CoNLL-U file, a treebank folder, or a name under TREEGAUGE_UD such as
        UD_Greek-GDT@2.5.
    new
        The new version, or another annotation of the same text; given like `old`.
    between
        Compare two commits, branches or tags of the git repository OLD, such as r2.6..r2.9, instead of two files.
    split
        Compare only this set (train, dev or test) of treebank folders.
    by
        Word classes in the table of classes: old UPOS or relation.
    all
        Show all rows of every table.
    errors
        Malformed sentences: strict refuses the file, skip leaves them out, repair repairs them.

    Examples
    --------
    >>> import treegauge as tg
    >>> old = tg.synthetic(40, seed=1)
    >>> new = old.with_columns({"upos": ["PRON" if tag == "DET" else tag for tag in old["upos"]]})
    >>> diff(old, new).attached["layers"].table.filter(layer="upos")["changed"].item()
    75
    """

def difficulty(
    *treebanks: Any,
    measure: Literal['all', 'vinfo', 'mdl'] = 'all',
    dev: Any = None,
    null: Null = 'blank',
    orders: int = 5,
    blocks: str | Sequence[int | str] = '5,10,20,40,80,160,320,360',
    seeds: int = 1,
    words: FilePath | None = None,
    parser: Sequence[str] | str = ('mst',),
    preset: str | None = None,
    option: Sequence[str] | Mapping[str, Any] = (),
    epochs: int | None = None,
    seed: int = 0,
    store: Store | str | PathLike[str] | None = None,
    workers: int = 1,
    errors: Literal['strict', 'skip', 'repair'] = 'strict',
    convention: str | Convention = 'official',
    force: bool = False,
) -> JoinedResult:
    """Measure dataset difficulty: ten measures, or usable information or description length alone.

    The measures are UAS and LAS of the dev set, confidence and variability of the training set,
    usable information (V-information) in the dev set, and description length of the training set.
    Several treebanks are also ranked by each measure and over all.

    Parameters
    ----------
    *treebanks
        Treebank folders, names or codes under TREEGAUGE_UD, or training files.
    measure
        all; vinfo: usable information, the bits per word that the words of the dev set give about
        its heads and relations, from parsers trained with the words and with a null input; or mdl:
        description length, the bits needed to send the trees of the training set block by block.
    dev
        A dev file to use instead of the treebank's dev set.
    null
        The input that usable information is compared with: nothing (blank), UPOS, sentence length,
        position, or the words in random order.
    orders
        Number of random orders of the sentences for description length; 0: leave it out.
    blocks
        Number of sentences in each block, such as 5,10,20; auto: as many doubling blocks as fit.
    seeds
        Number of models to average, with consecutive seeds.
    words
        Write usable information of every word to this .csv or .parquet file.
    parser
        A parser with probabilities, such as ``mst`` or ``biaffine``; 'mst rate=0.01' sets options
        of this one.
    preset
        Start from the options of a publication, such as ``difficulty``.
    option
        An option of the parser, ``name=value``; in Python also a mapping.
    epochs
        Number of epochs; the parser's default if not given.
    seed
        Random seed; the same seed gives the same numbers.
    store
        Store trainings in this folder, and reuse those in it; ``treegauge run`` uses the same
        store.
    workers
        Number of cells trained at the same time, each in its own process.
    errors
        What to do about malformed sentences.
    convention
        What counts: official (CoNLL 2018), challenges or no-punct (no punctuation), difficulty or
        subtypes (subtypes compared), or no-punct+subtypes.
    force
        Overwrite an existing file of another kind; an input is never overwritten.

    Returns
    -------
    JoinedResult
        A DifficultyTable, InformationTable (vinfo) or LengthTable (mdl), one part per treebank.

    Examples
    --------
    >>> import treegauge as tg
    >>> data = {"train": tg.synthetic(30, seed=1), "dev": tg.synthetic(20, seed=2)}
    >>> table = difficulty(data, blocks="5,10", orders=1, epochs=1).table
    >>> table.select("treebank", "sentences").row(0)
    ('syn-1', 30)
    >>> bits = difficulty(data, measure="vinfo", epochs=1)
    >>> bits.table["of"].to_list(), bits.table["information"].min() > 0
    (['heads', 'relations'], True)
    """

def fetch(
    wanted: str | Sequence[str],
    source: Source | None = None,
    *,
    into: Source | None = None,
    sha256: str | None = None,
    refresh: bool = False,
    replace: bool = False,
    force: bool = False,
) -> Fetched:
    """Fetch treebanks of a UD release.

    An interrupted download is resumed, archives are checked, and each treebank is written
    atomically.

    treegauge fetch UD_Greek-GDT@2.9 el_gdt@2.16

    treegauge fetch all@2.9 --source ud-treebanks-v2.9.tgz

    treegauge fetch language-data

    Parameters
    ----------
    wanted
        Names or codes with their release: UD_Greek-GDT@2.9, el_gdt@2.9; all@2.9 fetches everything
        in an archive. language-data is the data on languages for levels 4 and 5 of check.
    source
        Path or URL of an archive (tar, compressed with gz, bz2 or xz), such as that of a repository's
        tag, or of CoNLL-U files. {name}, {code} and {release} are replaced, and {split} by each of
        train, dev and test, some of which may be missing. For language-data a folder, or a URL with
        {file} for the names of the five official files. By default the environment variable
        TREEGAUGE_SOURCE, else the tag of the release in the treebank's own repository at
        github.com/UniversalDependencies, and the official files of language data.
    into
        Folder for the treebanks, by default the environment variable TREEGAUGE_UD, else ud. Each
        goes to a subfolder for its release, such as r2.9.
    sha256
        Expected checksum of the file that is read or downloaded.
    refresh
        Download again, ignoring the folder of downloads: that of the environment variable
        TREEGAUGE_CACHE, else the user's cache folder.
    replace
        Replace existing treebanks; by default they are kept.
    force
        Overwrite an existing file of another kind; an input is never overwritten.

    Examples
    --------
    >>> import tarfile, tempfile
    >>> from pathlib import Path
    >>> import treegauge as tg
    >>> home = Path(tempfile.mkdtemp())
    >>> tg.write_conllu(tg.synthetic(5, seed=1), home / "el_gdt-ud-test.conllu")
    >>> with tarfile.open(home / "ud-treebanks-v2.9.tgz", "w:gz") as archive:
    ...     archive.add(home / "el_gdt-ud-test.conllu",
    ...                 "ud-treebanks-v2.9/UD_Greek-GDT/el_gdt-ud-test.conllu")
    >>> packed = str(home / "ud-treebanks-v2.9.tgz")
    >>> got = fetch("UD_Greek-GDT@2.9", packed, into=home / "ud")
    >>> got.table.select("treebank", "release", "status").row(0)
    ('UD_Greek-GDT', '2.9', 'fetched')
    """

def leaderboard(
    gold: str | PathLike[str],
    *submissions: str | PathLike[str] | Mapping[str, Any],
    out: str | PathLike[str] | None = 'leaderboard',
    metric: str = 'LAS',
    split: Literal['train', 'dev', 'test'] | None = None,
    common: bool = False,
    where: Sequence[str] = (),
    deadline: str | None = None,
    units: Literal['auto', 'documents', 'sentences'] = 'auto',
    failed: Literal['zero', 'leave-out', 'refuse'] = 'zero',
    title: str = 'Leaderboard',
    metadata: str | PathLike[str] | pl.DataFrame | None = None,
    subsets: int = 100000,
    seed: int = 0,
    workers: int | None = None,
    convention: str | Convention = 'official',
    errors: Literal['strict', 'skip', 'repair'] = 'strict',
    allow: Sequence[str] = (),
    align: Literal['exact', 'loose'] = 'exact',
    force: bool = False,
) -> Standings:
    """Score every team on every treebank, rank the teams, and write a page and tables.

    A second run scores only what is new or has changed. Outputs are matched with gold files by file
    name, treebank code, treebank name or text.

    Parameters
    ----------
    gold
        A folder of gold files or of treebank folders.
    *submissions
        A folder that has one folder of output per team, or single teams as NAME=PATH, where PATH is
        a file or a folder, or stores. Repeat a NAME for several runs of one team, or put a folder
        per run in the team's folder; the mean over runs counts, or the run that the team's
        primary.txt names. published (or --with published) adds the scores that makers of parsers
        published, marked as such, if gold is test sets of one UD release (r2.5/UD_Greek-GDT): those
        with the input that all teams had. In Python also mappings from teams to paths.
    out
        The folder to write: index.html, the tables, teams/ with a report for each team, and the
        scores that the next run reuses. In Python, None writes nothing.
    metric
        The metric by which teams are ranked. ELAS and EULAS score enhanced dependencies, too.
    split
        Score only gold files of this split. Default: test if file names say so, else all files.
    common
        Score only treebanks for which every team has output.
    where
        A condition on what is known of treebanks, such as genus=Slavic or 'tokens >= 30000':
        treebank and the columns of metadata; several must all hold.
    deadline
        The time until which output counts, such as 2026-05-01 or 2026-05-01T12:00+02:00 (UTC if no
        zone is given; a date ends at midnight). Files that changed later are failed runs.
    units
        Units of intervals: documents, sentences, or auto (documents if gold has "# newdoc"
        comments, else sentences).
    failed
        How to treat failed or missing runs. zero: their scores count as 0, as in the shared task;
        leave-out: estimate averages from the other scores of team and treebank; refuse: stop and
        list them.
    title
        The title of the page.
    metadata
        Table with a column treebank or name and any of language, tokens, family, stock, genus and
        resource. Languages and genera are known from names, and all columns for treebanks of the
        CoNLL 2018 shared task.
    subsets
        The number of random subsets of treebanks.
    seed
        Random seed; the same seed gives the same result.
    workers
        Threads; the result does not depend on them. Default: the number of processors.
    convention
        What counts: official (CoNLL 2018), challenges or no-punct (no punctuation), difficulty or
        subtypes (subtypes compared), or no-punct+subtypes.
    errors
        Malformed sentences: strict refuses the file, skip leaves them out, repair repairs them.
    allow
        Problems of trees to allow: several-roots, no-root or cycle.
    align
        exact: gold and system must contain the same characters; loose: also align words where
        characters differ, as in the output of language models.
    force
        Overwrite an existing file of another kind; an input is never overwritten.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import treegauge as tg
    >>> home = Path(tempfile.mkdtemp())
    >>> for seed, code in enumerate(("el_gdt", "te_mtg")):
    ...     for team in ("gold", "teams/one", "teams/two"):
    ...         (home / team).mkdir(parents=True, exist_ok=True)
    ...         tg.write_conllu(tg.synthetic(30, seed=seed), home / team / f"{code}.conllu")
    >>> ranks = leaderboard(home / "gold", home / "teams", out=home / "out", subsets=100)
    >>> ranks.table.select("rank", "system", "score").rows()
    [(1.5, 'one', 100.0), (1.5, 'two', 100.0)]
    >>> ranks.scored, leaderboard(home / "gold", home / "teams", out=home / "out").scored
    (2, 0)

    Both teams have the same files here, which are scored once.
    """

def map(
    *treebanks: Any,
    split: Literal['train', 'dev', 'test'] = 'train',
    seeds: int = 1,
    candidates: int | None = None,
    folds: int = 5,
    candidates_out: FilePath | None = None,
    words: FilePath | None = None,
    recording: FilePath | None = None,
    parser: Sequence[str] | str = ('mst',),
    preset: str | None = None,
    option: Sequence[str] | Mapping[str, Any] = (),
    epochs: int | None = None,
    seed: int = 0,
    store: Store | str | PathLike[str] | None = None,
    workers: int = 1,
    errors: Literal['strict', 'skip', 'repair'] = 'strict',
    convention: str | Convention = 'official',
    force: bool = False,
) -> TreebankMaps:
    """Draw data maps of treebanks and list candidates for annotation errors.

    Trains a parser and records its confidence in the gold trees after every epoch. With several
    parsers or seeds, numbers are means over them. Candidates for annotation errors are words whose
    annotation is contradicted by parsers that were not trained on them. UAS and LAS are of the
    trees that the parsers predict after the last epoch.

    Parameters
    ----------
    *treebanks
        Treebank folders, names or codes under TREEGAUGE_UD, or training files.
    split
        The words to map.
    seeds
        Number of models to average, with consecutive seeds.
    candidates
        List this number of candidates for annotation errors.
    folds
        Number of folds: candidates come from models trained on the other folds. 0: from the mapped
        parser itself.
    candidates_out
        Write candidates to this .csv, .conllu or .html file.
    words
        Write one row per word to this .csv or .parquet file.
    recording
        Write all recordings and the candidates to this .npz file, which report reads.
    parser
        A parser with probabilities, such as ``mst`` or ``biaffine``; 'mst rate=0.01' sets options
        of this one.
    preset
        Start from the options of a publication, such as ``difficulty``.
    option
        An option of the parser, ``name=value``; in Python also a mapping.
    epochs
        Number of epochs; the parser's default if not given.
    seed
        Random seed; the same seed gives the same numbers.
    store
        Store trainings in this folder, and reuse those in it; ``treegauge run`` uses the same
        store.
    workers
        Number of cells trained at the same time, each in its own process.
    errors
        What to do about malformed sentences.
    convention
        What counts: official (CoNLL 2018), challenges or no-punct (no punctuation), difficulty or
        subtypes (subtypes compared), or no-punct+subtypes.
    force
        Overwrite an existing file of another kind; an input is never overwritten.

    Examples
    --------
    >>> import treegauge as tg
    >>> maps = map(tg.synthetic(40, seed=1), epochs=2)
    >>> maps.table["of"].to_list(), maps.table["confidence"].is_between(0.5, 1).all()
    (['heads', 'relations'], True)
    """

def measure(
    names: str | Sequence[str] = 'all',
    *sources: str | PathLike[str] | Treebank,
    split: Split = 'train',
    punct: bool = True,
    by: str | None = None,
    size: str | int | None = None,
    interval: bool = False,
    resamples: int = 1000,
    level: float = 0.95,
    units: Literal['auto', 'documents', 'sentences'] = 'auto',
    seed: int = 0,
    errors: Errors = 'strict',
) -> Measures:
    """Measure treebanks: displacement, structure, morphology, vocabulary.

    A value that is undefined for a treebank is left empty, with the reason. Without treebanks, the
    measures are listed: what each means, its range, and whether there is an interval.

    Parameters
    ----------
    names
        Measures or families of them, separated by commas, or ``all``.
    *sources
        Further measures, then files, folders such as UD_Greek-GDT, folders of such folders, or
        treebanks. Two files are a training set and a test set.
    split
        The set to measure in each folder. Measures of a pair compare the training set and the test
        set of a folder, or two files.
    punct
        Whether words tagged PUNCT count. Without them, positions are counted again, and their dependents get
        the nearest other ancestor as head.
    by
        One row per group of sentences: comment:genre groups by the comment "# genre = ..." of sentences or
        documents, newdoc:2 by the first two parts of document IDs, split by training, dev and test set.
    size
        Measure random samples of this number of words (means over 100), so that treebanks of different sizes can be
        compared; smallest takes half of the words of the smallest one.
    interval
        Add confidence intervals over documents or sentences, if there are enough of them.
    resamples
        Number of bootstrap resamples for intervals of distances.
    level
        Confidence level of intervals; tests use alpha = 1 - level.
    units
        Units of intervals: documents, sentences, or auto (documents if "# newdoc" comments mark at
        least ten).
    seed
        Random seed; the same seed gives the same result.
    errors
        Malformed sentences: strict refuses the file, skip leaves them out, repair repairs them.

    Returns
    -------
    Measures
        Values per treebank, in the order of the names. A treebank that cannot be read has the
        reason instead; it is an error if none can be read.

    Examples
    --------
    >>> from treegauge.testing.synthetic import synthetic
    >>> result = measure("words,edv", synthetic(100, seed=1), synthetic(100, seed=2))
    >>> [(row.measure, row.treebank) for row in result.measured]
    [('words', 'syn-1'), ('words', 'syn-2'), ('edv', 'syn-1 > syn-2')]
    >>> print(measure("slv,edv").table["meaning"][1])
    distance between the displacements of train and test
    """

def parse(
    model: Training | Model | str | PathLike[str],
    treebank: Treebank | str | PathLike[str] | IO[str] | IO[bytes],
    *,
    out: str | PathLike[str] | None = None,
    split: Literal['train', 'dev', 'test'] | None = None,
    errors: Literal['strict', 'skip', 'repair'] = 'strict',
    confidence: bool = False,
    write_tags: bool = False,
    trust: bool = False,
    force: bool = False,
) -> Parsed:
    """Parse sentences with a trained model.

    Replaces HEAD and DEPREL of every word, also where they have values; everything else stays as it
    is. A command without ``--out`` prints the parsed sentences.

    Parameters
    ----------
    model
        A model that ``treegauge train`` wrote.
    treebank
        Sentences in CoNLL-U, parsed or not: a file, ``-`` for standard input, a folder, or the
        name or code of a treebank under ``TREEGAUGE_UD``.
    out
        The file to write.
    split
        Parse only this set of a treebank folder.
    errors
        Malformed sentences: strict refuses the file, skip leaves them out, repair repairs them.
    confidence
        Write calibrated probabilities: ``HeadProb`` and ``DeprelProb`` (of the relation, if the
        head is correct) in MISC, and ``# tree_prob`` above each sentence.
    write_tags
        Write the tags of the model's tagger, which it parses with, into UPOS.
    trust
        Allow a model of an external program (parser ``command``), which may run code that is in its
        files. The environment variable TREEGAUGE_TRUST=1 does the same for all models.
    force
        Overwrite an existing file of another kind; an input is never overwritten.

    Examples
    --------
    >>> from treegauge.parsing.registry import make_parser
    >>> from treegauge.testing.synthetic import synthetic
    >>> model = make_parser("mst", epochs=1).fit(synthetic(30, seed=1), seed=0)
    >>> parse(model, synthetic(3, seed=2)).treebank
    <Treebank syn-2: 3 sentences, ... words>
    >>> parse(model, synthetic(1, seed=2), confidence=True).treebank["misc"][0]
    '...HeadProb=0...|DeprelProb=...'
    """

def published(
    treebanks: str | Sequence[str] = (),
    *,
    metric: Sequence[str] = ('LAS',),
    where: Sequence[str] = (),
) -> PublishedScores:
    """Show what others have on a treebank: the scores that makers of parsers published.

    UDPipe 1 and 2, Stanza, Trankit, UDify and LIMA on UD 1.2 to 2.17. The newest release comes
    first; within one, raw text, gold tokens, and gold tokens with gold tags are kept apart, because
    their scores are not comparable. Without a treebank, each line is the mean over all treebanks.

    Parameters
    ----------
    treebanks
        Names, codes or languages, such as UD_Greek-GDT, el_gdt, Greek, or Greek-GDT@2.5 for one
        release.
    metric
        The metrics to show, such as LAS, UAS, CLAS, MLAS, BLEX, UPOS, Words.
    where
        A condition on a column, such as release=2.5, 'input=raw text' or 'system=UDPipe*'.

    Examples
    --------
    >>> import treegauge as tg
    >>> rows = tg.published("UD_Greek-GDT", where=["release=2.5", "input=raw text"]).rows
    >>> rows[0]["system"], rows[0]["LAS"]
    ('Trankit large', 93.87)
    """

class _Rank:
    """Rank systems over subsets of treebanks, to see whether the leaderboard is stable.

    Ranks the systems on every subset by their mean score. The result has each system's rank over
    all treebanks with its 95 % confidence set (the ranks that it could have on other treebanks of
    these families), and its best, worst, mean and median rank over the subsets.

    Parameters
    ----------
    *scores
        conll18, tables of scores (CSV, TSV, Parquet, JSON of score or results), stores, frames,
        results of score, leaderboards. Several are joined; tables besides conll18 add systems on
        its treebanks.
    size
        Treebanks per subset: 10, 5-20, 5,10,20 or all. Default: 10, or half of the treebanks if
        there are ten or fewer.
    subsets
        The number of random subsets; default: 1,000,000. If there are no more than that, or than
        1,000,000, all are counted instead. all: count mean ranks and pairs over all subsets,
        however many there are. named: average over the subsets that eight papers used, or those
        given as treebanks, with error reductions.
    constraint
        Constraint on subsets: language:1, genus=Slavic:2, resource:stratified; repeatable.
    treebanks
        Only these treebanks: a named subset (such as Ma18) or codes separated by commas. With
        --subsets named, also one's own subsets, as NAME=CODE,CODE; repeatable.
    seed
        Random seed; the same seed gives the same result.
    workers
        Threads; the result does not depend on them. Default: the number of processors.
    metric
        Metric to compare systems by; upper or lower case.
    missing
        How to treat missing scores; averages never skip them. keep: compare systems over the
        treebanks that they share, in rank and in rank compare --test bradley-terry.
    metadata
        Table with a column treebank or name and any of language, tokens, family, stock, genus and
        resource. Languages and genera are known from names, and all columns for treebanks of the
        CoNLL 2018 shared task.
    gold
        The gold file or folder, if SCORES are system files or folders, as PATH or NAME=PATH. They
        are scored first, as by score; runs of one NAME are averaged, and failed output is missing.
        Not needed if it is first among SCORES, all others are NAME=PATH, or it alone has folders of treebanks.
    where
        A condition on a column of the table of scores, such as release=2.5, 'input=raw text' or
        'words >= 30000'; several must all hold.

    Examples
    --------
    >>> ranks = rank("conll18", subsets=20_000)
    >>> ranks.table.select("system", "best", "worst").row(0)
    ('HIT-SCIR', 1.0, 6.0)
    """

    def __call__(
        self,
        *scores: Any,
        size: int | str | None = None,
        subsets: int | str | None = None,
        constraint: Sequence[str | Constraint] = (),
        treebanks: Sequence[str] = (),
        seed: int = 0,
        workers: int | None = None,
        metric: str = 'LAS',
        missing: Missing = 'error',
        metadata: str | PathLike[str] | pl.DataFrame | None = None,
        gold: str | PathLike[str] | Treebank | None = None,
        where: Sequence[str] = (),
    ) -> Ranks:
        """Rank systems over subsets of treebanks, to see whether the leaderboard is stable.

        Ranks the systems on every subset by their mean score. The result has each system's rank over
        all treebanks with its 95 % confidence set (the ranks that it could have on other treebanks of
        these families), and its best, worst, mean and median rank over the subsets.

        Parameters
        ----------
        *scores
            conll18, tables of scores (CSV, TSV, Parquet, JSON of score or results), stores, frames,
            results of score, leaderboards. Several are joined; tables besides conll18 add systems on
            its treebanks.
        size
            Treebanks per subset: 10, 5-20, 5,10,20 or all. Default: 10, or half of the treebanks if
            there are ten or fewer.
        subsets
            The number of random subsets; default: 1,000,000. If there are no more than that, or than
            1,000,000, all are counted instead. all: count mean ranks and pairs over all subsets,
            however many there are. named: average over the subsets that eight papers used, or those
            given as treebanks, with error reductions.
        constraint
            Constraint on subsets: language:1, genus=Slavic:2, resource:stratified; repeatable.
        treebanks
            Only these treebanks: a named subset (such as Ma18) or codes separated by commas. With
            --subsets named, also one's own subsets, as NAME=CODE,CODE; repeatable.
        seed
            Random seed; the same seed gives the same result.
        workers
            Threads; the result does not depend on them. Default: the number of processors.
        metric
            Metric to compare systems by; upper or lower case.
        missing
            How to treat missing scores; averages never skip them. keep: compare systems over the
            treebanks that they share, in rank and in rank compare --test bradley-terry.
        metadata
            Table with a column treebank or name and any of language, tokens, family, stock, genus and
            resource. Languages and genera are known from names, and all columns for treebanks of the
            CoNLL 2018 shared task.
        gold
            The gold file or folder, if SCORES are system files or folders, as PATH or NAME=PATH. They
            are scored first, as by score; runs of one NAME are averaged, and failed output is missing.
            Not needed if it is first among SCORES, all others are NAME=PATH, or it alone has folders of treebanks.
        where
            A condition on a column of the table of scores, such as release=2.5, 'input=raw text' or
            'words >= 30000'; several must all hold.

        Examples
        --------
        >>> ranks = rank("conll18", subsets=20_000)
        >>> ranks.table.select("system", "best", "worst").row(0)
        ('HIT-SCIR', 1.0, 6.0)
        """

    def compare(
        self,
        *scores: Any,
        test: Comparison = 'nemenyi',
        systems: Sequence[str] = (),
        treebanks: Sequence[str] = (),
        margin: float = 0.0,
        level: float = 0.95,
        metric: str = 'LAS',
        missing: Missing = 'error',
        metadata: str | PathLike[str] | pl.DataFrame | None = None,
        gold: str | PathLike[str] | Treebank | None = None,
        where: Sequence[str] = (),
    ) -> SystemComparison:
        """Compare systems over treebanks: significant differences, wins, and how probable they are.

        Critical differences (nemenyi, wilcoxon-holm) group systems that do not differ significantly.

        Parameters
        ----------
        *scores
            conll18, tables of scores, stores or results.
        test
            Critical differences by average ranks (nemenyi) or by signed-rank tests of all pairs
            (wilcoxon-holm), wins/ties/losses, probabilities of improvement, mean differences on other
            treebanks (difference), or Bradley-Terry strengths with confidence sets of ranks. profile:
            interquartile means and performance profiles. mixed: how much of a difference is genus,
            treebank, document or seed, and scores and ranks on a new treebank.
        systems
            Only these systems; repeatable.
        treebanks
            Only these treebanks: a named subset (such as Ma18) or codes separated by commas.
        margin
            In points: for wins, the largest difference that is a tie; for differences, the largest
            that does not matter, which shows which systems are equivalent.
        level
            Confidence level of intervals; tests use alpha = 1 - level.
        metric
            Metric to compare systems by; upper or lower case.
        missing
            How to treat missing scores; averages never skip them. keep: compare systems over the
            treebanks that they share, in rank and in rank compare --test bradley-terry.
        metadata
            Table with a column treebank or name and any of language, tokens, family, stock, genus and
            resource. Languages and genera are known from names, and all columns for treebanks of the
            CoNLL 2018 shared task.
        gold
            The gold file or folder, if SCORES are system files or folders, as PATH or NAME=PATH. They
            are scored first, as by score; runs of one NAME are averaged, and failed output is missing.
            Not needed if it is first among SCORES, all others are NAME=PATH, or it alone has folders of treebanks.
        where
            A condition on a column of the table of scores, such as release=2.5, 'input=raw text' or
            'words >= 30000'; several must all hold.
        """

    def outliers(
        self,
        *scores: Any,
        system: Sequence[str],
        size: int | None = None,
        subsets: int = 1000000,
        by: Sequence[ClassColumn] = ('stock', 'genus', 'resource', 'tokens'),
        correction: Literal['holm', 'bonferroni', 'benjamini-hochberg'] = 'holm',
        seed: int = 0,
        metric: str = 'LAS',
        missing: Missing = 'error',
        metadata: str | PathLike[str] | pl.DataFrame | None = None,
        gold: str | PathLike[str] | Treebank | None = None,
        where: Sequence[str] = (),
    ) -> Outliers:
        """Show the subsets with a system's best and worst ranks, and classes frequent in them.

        A class of treebanks is over-represented if its members are in these subsets more often than
        random treebanks are. This is a permutation test with treebanks as units, corrected for the
        number of classes. The treebanks that cause the effect are named.

        Parameters
        ----------
        *scores
            conll18, tables of scores, stores or results.
        system
            System to explain; repeatable.
        size
            Treebanks per subset; default: 10, or half of ten treebanks or fewer.
        subsets
            The number of random subsets; a million or fewer are all counted instead.
        by
            Columns that define the classes of treebanks.
        correction
            Correction for the number of classes.
        seed
            Random seed; the same seed gives the same result.
        metric
            Metric to compare systems by; upper or lower case.
        missing
            How to treat missing scores; averages never skip them. keep: compare systems over the
            treebanks that they share, in rank and in rank compare --test bradley-terry.
        metadata
            Table with a column treebank or name and any of language, tokens, family, stock, genus and
            resource. Languages and genera are known from names, and all columns for treebanks of the
            CoNLL 2018 shared task.
        gold
            The gold file or folder, if SCORES are system files or folders, as PATH or NAME=PATH. They
            are scored first, as by score; runs of one NAME are averaged, and failed output is missing.
            Not needed if it is first among SCORES, all others are NAME=PATH, or it alone has folders of treebanks.
        where
            A condition on a column of the table of scores, such as release=2.5, 'input=raw text' or
            'words >= 30000'; several must all hold.
        """

rank: _Rank

def recommend(
    *scores: Any,
    size: int = 10,
    at_most: Sequence[str | Constraint] = (),
    at_least: Sequence[str | Constraint] = (),
    include: Sequence[str] = (),
    exclude: Sequence[str] = (),
    named: Mapping[str, Sequence[str]] | Sequence[str] | None = None,
    repeats: int = 10,
    subsets: int = 1000,
    seed: int = 0,
    metric: str = 'LAS',
    missing: Missing = 'error',
    metadata: str | PathLike[str] | pl.DataFrame | None = None,
    gold: str | PathLike[str] | Treebank | None = None,
    where: Sequence[str] = (),
) -> Recommendation:
    """Recommend a small set of treebanks that ranks systems as all treebanks do.

    The set is evaluated on systems that were not used for choosing, and compared with random
    subsets and with subsets used in papers.

    Parameters
    ----------
    *scores
        conll18, tables of scores, stores or results; at least six systems.
    size
        The number of treebanks to choose.
    at_most
        Upper bounds, such as language:1, genus=Slavic:2, resource:stratified; or tokens:500000,
        the largest total number (treebanks of unknown size are then left out); repeatable.
    at_least
        Lower bounds, such as resource=small:1, or stock:1 for every value; repeatable.
    include
        A treebank that must be a member; repeatable.
    exclude
        A treebank that must not be a member; repeatable.
    named
        Subsets to compare with, as NAME=treebank,treebank. Default: eight subsets that
        papers used, as far as their treebanks have scores.
    repeats
        The number of random divisions of the systems into five folds.
    subsets
        The number of random subsets to compare with.
    seed
        Random seed; the same seed gives the same result.
    metric
        Metric to compare systems by; upper or lower case.
    missing
        How to treat missing scores; averages never skip them. keep: compare systems over the
        treebanks that they share, in rank and in rank compare --test bradley-terry.
    metadata
        Table with a column treebank or name and any of language, tokens, family, stock, genus and
        resource. Languages and genera are known from names, and all columns for treebanks of the
        CoNLL 2018 shared task.
    gold
        The gold file or folder, if SCORES are system files or folders, as PATH or NAME=PATH. They
        are scored first, as by score; runs of one NAME are averaged, and failed output is missing.
        Not needed if it is first among SCORES, all others are NAME=PATH, or it alone has folders of treebanks.
    where
        A condition on a column of the table of scores, such as release=2.5, 'input=raw text' or
        'words >= 30000'; several must all hold.

    Examples
    --------
    >>> best = recommend(
    ...     "conll18", size=5, at_most=["stock:2", "tokens:500000"], repeats=1, subsets=100
    ... )
    >>> len(best.subset), best.fitted > best.held_out.agreement
    (5, True)
    """

def report(
    *sources: Any,
    gold: Sequence[str] | str | PathLike[str] | Treebank = (),
    out: str | PathLike[str] | None = 'report.html',
    title: str = 'What these scores mean',
    metric: str = 'LAS',
    where: Sequence[str] = (),
    subsets: int = 100000,
    errors: Errors = 'strict',
    convention: str | Convention = 'official',
    force: bool = False,
) -> Page:
    """Make one offline web page from treebanks, system output, scores and other results.

    The page has a section for everything the inputs allow: scores, ranking, treebanks, data maps,
    learning curves. Inputs are recognised by their contents. The same inputs give the same bytes.

    A treebank and output for its test set; systems with several seeds on several treebanks, as in score::

        treegauge report UD_Greek-GDT careful.conllu hasty.conllu -o page.html
        treegauge report gold careful=runs/careful hasty=runs/hasty -o page.html

    Parameters
    ----------
    *sources
        Treebanks (folders, files, names), output of systems (files, folders, NAME=PATH), score
        tables or conll18, stores, recordings of training, counts of curves, results of transfer.
        Results of audit, breakdown, certify, check, measure and score, saved as JSON (in Python also
        the results themselves), are shown instead of computed again.
    gold
        Gold files or folders that are not treebank folders; repeatable. Not needed if all systems
        are given as NAME=PATH.
    out
        The page to write. In Python, None writes nothing.
    title
        The title of the page.
    metric
        The metric by which systems are ranked.
    where
        A condition on a column of the tables of scores, such as release=2.5 or 'input=raw text', as
        in rank; several must all hold.
    subsets
        The number of random subsets of treebanks of each size.
    errors
        Malformed sentences: strict refuses the file, skip leaves them out, repair repairs them.
    convention
        What counts: official (CoNLL 2018), challenges or no-punct (no punctuation), difficulty or
        subtypes (subtypes compared), or no-punct+subtypes.
    force
        Overwrite an existing file of another kind; an input is never overwritten.

    Examples
    --------
    >>> import treegauge as tg
    >>> made = report(tg.synthetic(20, seed=1), out=None, title="A treebank", subsets=100)
    >>> "<title>A treebank</title>" in made.html
    True
    """

def results(
    store: Store | str | PathLike[str],
    *,
    task: str | Sequence[str] | None = None,
    treebank: str | Sequence[str] | None = None,
    parser: str | Sequence[str] | None = None,
    size: int | Sequence[int] | None = None,
    seed: int | Sequence[int] | None = None,
    failed: bool = False,
    provenance: bool = False,
    parses: str | PathLike[str] | None = None,
    root: str | PathLike[str] | None = None,
    force: bool = False,
) -> StoreResults:
    """Print the results in a store.

    One row per finished cell: its fields and the results of the task; where cells differ in the
    sample or seed only, also their mean, standard deviation and interval. Without --provenance the
    same plan prints the same bytes, however and wherever it was run.

    Parameters
    ----------
    store
        The folder that ``run`` created.
    task
        Only tasks that match this pattern.
    treebank
        Only treebanks that match a pattern such as 'UD_*'.
    parser
        Only parsers that match this pattern.
    size
        Only these sizes of training sets.
    seed
        Only these seeds.
    failed
        List the failed cells and their errors instead.
    provenance
        Add key, checksums of files, time, host and versions.
    parses
        Also write the parse of each cell to this folder as CoNLL-U: the gold test sentences with
        predicted heads and relations, as SYSTEM/RUN/TREEBANK.conllu, which score reads.
    root
        Folder of treebanks for --parses, if they are no longer where the plan found them.
    force
        Overwrite an existing file of another kind; an input is never overwritten.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import treegauge as tg
    >>> home = Path(tempfile.mkdtemp())
    >>> (home / "UD_Syn-X").mkdir()
    >>> for seed, part in enumerate(("train", "test")):
    ...     file = home / "UD_Syn-X" / f"sy_x-ud-{part}.conllu"
    ...     tg.write_conllu(tg.synthetic(20, seed=seed), file)
    >>> plan = tg.Plan((tg.grid("score", "UD_Syn-X", parsers=["baseline"]),))
    >>> summary = tg.run(plan, home / "a.store", root=home, workers=1)
    >>> results(home / "a.store").table.select("treebank", "parser").rows()
    [('UD_Syn-X', 'baseline')]
    """

def review(
    treebank: Source | Treebank,
    *,
    split: str | None = None,
    findings: Sequence[Any] = (),
    parsers: Sequence[Any] = (),
    annotators: Sequence[Any] = (),
    kinds: Sequence[str] | str = (),
    count: int = 1000,
    decisions: Sequence[Source] = (),
    write_decisions: Source | None = None,
    ask: bool = False,
    who: str | None = None,
    all: bool = False,
    errors: Errors = 'strict',
    force: bool = False,
) -> WorkList:
    """Work through everything that may be wrong in a treebank: one list, decisions, a unified diff.

    Lists words attached differently in the same words elsewhere (consistency) or in near-duplicates of
    their sentence (duplicates), problems of validation (check), and findings of other verbs, parsers and
    annotators. What several of them find comes first. Save as .html for a page to work with, as .tsv for the
    decisions, as .patch for the accepted changes. Rejected items do not come back.

    Parameters
    ----------
    treebank
        The CoNLL-U file or treebank folder to correct; given like the first argument of diff.
    split
        Only this set (train, dev or test) of a folder.
    findings
        Tables to add: candidates by map, problems by check, or another work list (.csv, .tsv or .json); in
        Python also results.
    parsers
        The same text as parsed by parsers, NAME=PATH; where they differ from the treebank, their trees are proposed.
    annotators
        The same text as annotated by others, NAME=PATH: their differences in every column are to be adjudicated.
    kinds
        List only these kinds: consistency, duplicates, check, own check, candidates, parser or annotator.
    count
        The largest number of items.
    decisions
        Work lists with decisions, saved as .tsv; several people's are merged.
    write_decisions
        Write all decisions to this .tsv file, another one than those given.
    ask
        Ask about each open item in the terminal.
    who
        The name of the person who decides.
    all
        Show all items, also rejected ones.
    errors
        What to do about malformed sentences.
    force
        Overwrite an existing file of another kind; an input is never overwritten.

    Examples
    --------
    >>> from treegauge.testing.synthetic import synthetic
    >>> gold = synthetic(40, seed=1)
    >>> other = gold.with_columns({"deprel": ["obj" if x == "iobj" else x for x in gold["deprel"]]})
    >>> found = review(gold, annotators={"bob": other}, kinds="annotator")
    >>> len(found) == (gold["deprel"] == "iobj").sum()
    True
    """

def run(
    plan: Plan | Expansion | str | PathLike[str],
    store: Store | str | PathLike[str] | None = None,
    *,
    dry_run: bool = False,
    until: str | None = None,
    pool: str | None = None,
    workers: int | None = None,
    timeout: str | float | None = None,
    memory: str | int | None = None,
    retries: int | None = None,
    root: str | PathLike[str] | None = None,
    slurm: Sequence[str] | Mapping[str, Any] = (),
    trust: bool = False,
    force: bool = False,
) -> RunSummary | Preview:
    """Run a plan of many trainings; resumes where it stopped.

    A finished cell is never run again. A changed option, treebank or major version makes a new
    cell; --dry-run reports which and why. If cells fail, the exit code is 1, and the next run
    tries them again.

    Parameters
    ----------
    plan
        A plan, as a TOML file.
    store
        Folder of results, created if needed; by default the plan's name and ``.store``.
    dry_run
        Only report what would be run, and why.
    until
        Stop as soon as it is decided which of two parsers is better, such as "mst > beam": cells are
        added seed by seed, or genus by genus, and looking after each keeps the error at 5 %.
    pool
        inline, process (a fresh process for each cell), dask, dask://HOST:PORT or slurm. Default:
        the plan's pool, or process.
    workers
        Number of cells at a time; by default one per processor.
    timeout
        Time limit of a cell: 90s, 15m, 2h.
    memory
        Memory limit of a cell: 500MB, 2GB.
    retries
        Number of retries after a temporary error, such as a killed process. Default: the plan's, or
        1. Errors of an input or a limit are not retried.
    root
        Folder of treebanks, instead of the plan's and of TREEGAUGE_UD.
    slurm
        A setting of Slurm, such as queue=short; repeatable.
    trust
        Allow the plan file to run code: its own tasks (module:function), other programs (parser
        command), a dask scheduler, and lines for Slurm's scripts. The environment variable
        TREEGAUGE_TRUST=1 does the same for all plans and models.
    force
        Overwrite an existing file of another kind; an input is never overwritten.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import treegauge as tg
    >>> home = Path(tempfile.mkdtemp())
    >>> (home / "UD_Syn-X").mkdir()
    >>> for seed, part in enumerate(("train", "test")):
    ...     file = home / "UD_Syn-X" / f"sy_x-ud-{part}.conllu"
    ...     tg.write_conllu(tg.synthetic(20, seed=seed), file)
    >>> cells = tg.grid("score", "UD_Syn-X", parsers=["baseline"], seeds=[0, 1, 2])
    >>> plan = tg.Plan((cells,))
    >>> str(run(plan, home / "a.store", root=home, dry_run=True)).splitlines()[0]
    '3 cells: 0 done, 0 failed before, 3 new'
    """

def score(
    gold: _Output,
    *systems: _Output | Mapping[str, Any],
    metric: str | Sequence[str] = (),
    convention: str | Convention = 'official',
    context: Sequence[Beside] | Beside = (),
    split: Literal['train', 'dev', 'test'] | None = None,
    common: bool = False,
    test: Test = 'student',
    correction: _Correction = 'holm',
    margin: float | None = None,
    fresh: str | None = None,
    leave_out: Literal['leaked'] | None = None,
    errors: Literal['strict', 'skip', 'repair'] = 'strict',
    allow: Sequence[str] = (),
    align: Literal['exact', 'loose'] = 'exact',
    resamples: int = 10000,
    interval: Literal['student', 'percentile', 'bca'] = 'student',
    units: Literal['auto', 'documents', 'sentences'] = 'auto',
    level: float = 0.95,
    seed: int = 0,
) -> Scores:
    """Score systems against gold, with confidence intervals and significance tests.

    Counts equal those of the official CoNLL 2018 script. Given folders, outputs are matched with
    gold files by file name, treebank code, treebank name or text. Macro averages count a missing or
    failed output as 0, and paired tests give the number of treebanks on which a system is better.

    One file; systems with several seeds on several treebanks (runs/careful has a folder per seed); the table for a
    paper, with significance marks::

        treegauge score gold.conllu careful.conllu hasty.conllu
        treegauge score gold careful=runs/careful hasty=runs/hasty
        treegauge score gold careful=runs/careful hasty=runs/hasty -o table.tex

    Parameters
    ----------
    gold
        The gold file, or a folder of gold files. In Python also a mapping from names to treebanks.
    *systems
        System files or folders, as PATH or NAME=PATH, or stores. Repeat a NAME for several runs
        (seeds) of one system, or give a folder with a folder per run. In Python also treebanks, and
        mappings from names to outputs.
    metric
        Metrics to show and to test, such as LAS,UAS; all for all of them. ELAS and EULAS score
        enhanced dependencies, ELAS(collapse=yes,without=15) as IWPT does; WLAS weighs relations,
        WLAS(weights=FILE); MSLAS scores trees of content nodes (UniDive 2025).
    convention
        What counts: official (CoNLL 2018), challenges or no-punct (no punctuation), difficulty or
        subtypes (subtypes compared), or no-punct+subtypes.
    context
        What to compare with. baselines: trees that know only the length of a sentence
        (left-branching, right-branching, random projective, random with the shortest arcs) and, if
        a training set is next to gold, the majority over pairs of gold tags. published: one line of
        what makers of parsers published, if gold is the test set of a UD release
        (r2.5/UD_Greek-GDT), for the kind of input that the output shows: raw text, gold tokens, or
        gold tokens and tags.
    split
        With folders: only gold files of this split. Default: the splits that systems parsed.
    common
        With folders: score only treebanks for which every system has output.
    test
        Significance test between systems. student, the primary one, is a t test of the difference,
        in which units and, with three or more runs per system, runs are random; permutation and
        bootstrap hold runs fixed.
    correction
        Correction of p-values for the number of tests; with folders always bonferroni.
    margin
        Largest difference in points that does not matter; shows which systems are equivalent, not
        worse, or better.
    fresh
        Score sentences that were added, or whose words changed, since an older release apart from the others, and test
        the difference: r2.15 under TREEGAUGE_UD, or the path of the release or of the treebank in it.
    leave_out
        leaked: leave out sentences that are also, exactly or nearly, in the training set next to gold.
    errors
        Malformed sentences: strict refuses the file, skip leaves them out, repair repairs them.
    allow
        Problems of trees to allow: several-roots, no-root or cycle.
    align
        exact: gold and system must contain the same characters; loose: also align words where
        characters differ, as in the output of language models.
    resamples
        Number of random draws of a bootstrap interval, and of a permutation or bootstrap test; 0
        for no intervals and no tests.
    interval
        student (jackknife over units and runs, needs 10 units), or a bootstrap of one run, which
        needs 200 units: percentile, or bca (bias-corrected and accelerated).
    units
        Units of resampling: documents, sentences, or auto (documents if gold has "# newdoc"
        comments, else sentences).
    level
        Confidence level of intervals; tests use alpha = 1 - level.
    seed
        Random seed; the same seed gives the same result.

    Returns
    -------
    Scores
        The scores of every system: ``scores["careful"]["LAS"]``. Given folders, these are macro
        averages, and ``scores.treebanks["Greek"]`` has those on one treebank.

    Examples
    --------
    >>> import treegauge as tg
    >>> from treegauge.testing.synthetic import synthetic
    >>> gold = synthetic(20, seed=1)
    >>> scores = tg.score(gold, {"perfect": gold}, metric=["UAS", "LAS"], resamples=0)
    >>> print(scores["perfect"]["LAS"].f1)
    100.0
    """

def show(
    source: Treebank | Source,
    *,
    sentence: Sequence[str | int] = (),
    system: Treebank | Source | None = None,
    split: str | None = None,
    limit: int = 5,
    errors: Errors = 'strict',
) -> Drawings:
    """Draw dependency trees in the terminal, as SVG, or for LaTeX.

    Sentences written from right to left have their first word on the right.

    Parameters
    ----------
    source
        A CoNLL-U file, a treebank folder or a name under TREEGAUGE_UD; - is standard input.
    sentence
        A sentence to draw: its number from 1, or its sent_id.
    system
        A system's output or another version, found by sent_id; the drawing shows the arcs that differ.
    split
        The set of a treebank folder to draw from (train, dev or test).
    limit
        Number of sentences to draw if none is chosen.
    errors
        Malformed sentences: strict refuses the file, skip leaves them out, repair repairs them.

    Examples
    --------
    >>> import treegauge as tg
    >>> show(tg.synthetic(3, seed=4), sentence=[2]).table.select("sentence", "sent_id").row(0)
    (2, 'syn-2')
    """

def split(
    source: str | PathLike[str] | Treebank,
    *,
    out: str | PathLike[str] | None = None,
    objective: Objective = 'random',
    sizes: str = '60/20/20',
    unit: SizeUnit = 'sentences',
    folds: int = 5,
    documents: bool | None = None,
    min_words: int | None = None,
    seed: int = 0,
    manifest: str | PathLike[str] | None = None,
    errors: Errors = 'strict',
    force: bool = False,
) -> _Split:
    """Split a treebank at random, by length, into folds, or by EDV.

    Shows the distances between the sets in displacements (EDV) and sentence lengths (SLV).

    Parameters
    ----------
    source
        A folder such as UD_Greek-GDT, its name or code, a file, or a treebank.
    out
        Folder to write the sets and a manifest to. A comment has the origin of each sentence:
        # split_origin = FILE:NUMBER.
    objective
        random; length (the longest sentences form the test set); low and high (minimise or maximise
        EDV between training and test set, with equal sizes and sentence lengths); 0.25, 0.5 and 0.75
        (EDV at this level between low, 0, and high, 1, otherwise the same); sampled-low and
        sampled-high (by the published sampler: always four training sentences to one test sentence
        before the dev set is taken out); kfold.
    sizes
        Relative sizes of training, dev and test set; dev may be 0.
    unit
        Whether sizes and folds count sentences or words. Low and high splits keep sentence lengths
        equal, so both give the same there.
    folds
        Number of folds for kfold.
    documents
        Whether to keep documents (# newdoc) whole; by default yes in random and kfold splits if
        there are any.
    min_words
        Leave out sentences with fewer words; by default 3 for splits by EDV, as published, else 1.
    seed
        Random seed; the same seed gives the same result.
    manifest
        Reproduce the split of this manifest.
    errors
        Malformed sentences: strict refuses the file, skip leaves them out, repair repairs them.
    force
        Overwrite an existing file of another kind; an input is never overwritten.

    Examples
    --------
    >>> import treegauge as tg
    >>> splits = split(tg.synthetic(100, seed=1), documents=False)
    >>> splits.table.select("split", "sentences").rows()
    [('train', 60), ('dev', 20), ('test', 20)]
    """

class _Store:
    """Report how many cells of a store are done, failed and left; merge and clean up stores.

    Also works while a run is in progress.

    Parameters
    ----------
    store
        The folder that ``run`` created.

    Examples
    --------
    >>> import tempfile
    >>> import treegauge as tg
    >>> store = tg.Store(tempfile.mkdtemp())
    >>> with store.writing():
    ...     pass  # an empty store
    >>> len(tg.store(store).table)
    0
    """

    def __call__(
        self,
        store: Store | str | PathLike[str],
    ) -> Status:
        """Report how many cells of a store are done, failed and left; merge and clean up stores.

        Also works while a run is in progress.

        Parameters
        ----------
        store
            The folder that ``run`` created.

        Examples
        --------
        >>> import tempfile
        >>> import treegauge as tg
        >>> store = tg.Store(tempfile.mkdtemp())
        >>> with store.writing():
        ...     pass  # an empty store
        >>> len(tg.store(store).table)
        0
        """

    def merge(
        self,
        *stores: Store | str | PathLike[str],
        out: Store | str | PathLike[str] | None = None,
        force: bool = False,
    ) -> Merged:
        """Merge stores into one.

        A cell that is in several stores counts once, and a finished cell replaces a failed one.
        Different results for one cell are an error; then nothing of that store is added.

        Parameters
        ----------
        *stores
            Stores; cells are added to the first one, the others stay unchanged.
        out
            Merge all into this store instead.
        force
            Overwrite an existing file of another kind; an input is never overwritten.

        Examples
        --------
        >>> import tempfile
        >>> import treegauge as tg
        >>> here, there = tg.Store(tempfile.mkdtemp()), tg.Store(tempfile.mkdtemp())
        >>> for store in (here, there):
        ...     with store.writing():
        ...         pass  # empty stores
        >>> merge(there, out=here).table["added"].to_list()
        [0]
        """

    def gc(
        self,
        store: Store | str | PathLike[str],
        *,
        plan: str | PathLike[str] | Plan | Expansion | Sequence[str] | None = None,
        root: str | PathLike[str] | None = None,
        dry_run: bool = False,
        trust: bool = False,
    ) -> Removed:
        """Remove files and cells that are no longer needed from a store.

        Removes orphaned files, cells whose files are missing and, with --plan, cells that are not in
        any plan. Refuses to remove results of a treebank that a pattern of the plan names and that is
        only absent from the disk.

        Parameters
        ----------
        store
            The folder that ``run`` created; no run may be using it.
        plan
            Keep only the cells of this plan, a TOML file; repeatable.
        root
            Folder of treebanks, instead of the plan's and of TREEGAUGE_UD.
        dry_run
            Only report what would be removed.
        trust
            Allow the plan file to run code, as in ``run``.

        Examples
        --------
        >>> import tempfile
        >>> import treegauge as tg
        >>> store = tg.Store(tempfile.mkdtemp())
        >>> with store.writing():
        ...     pass  # an empty store
        >>> print(gc(store))
        removed 0 cells and 0 files of 0.0 MB
        """

store: _Store

def study(
    paper: Paper,
    *inputs: Any,
    parser: Sequence[str] | str = (),
    option: Sequence[str] | Mapping[str, Any] = (),
    quick: bool = False,
    subsets: int = 1000000,
    seed: int = 0,
    store: Store | str | PathLike[str] | None = None,
    workers: int = 1,
    out: str | PathLike[str] | None = 'study',
    metric: str = 'LAS',
    missing: Missing = 'error',
    metadata: str | PathLike[str] | pl.DataFrame | None = None,
    gold: str | PathLike[str] | Treebank | None = None,
    where: Sequence[str] = (),
    force: bool = False,
) -> StudyResult:
    """Run a paper's whole study on your own data: its tables and figures, on one page.

    Settings are the paper's. What the data do not allow is listed with the reason, and the numbers
    that the paper printed are next to yours. Trainings are kept in a store, so that the same
    call resumes after an interruption.

    Parameters
    ----------
    paper
        edv: displacement and scores (TREEBANKS and a table of scores). fragility: rankings over
        subsets of treebanks (a table of scores). difficulty: ten measures of difficulty
        (TREEBANKS). challenges: learning curves and transfer (TREEBANKS; the first is the target
        of transfer). content: content and function relations (GOLD and the output of a system).
    *inputs
        Treebank folders, names or patterns, tables of scores, or gold and output, as the paper
        needs them. One packaged table is enough: published, conll18, ud25, ud26.
    parser
        Parser to train. Default: biaffine without tags for difficulty, beam and mst for
        challenges; for edv none, which leaves out the splits of its Section 6.
    option
        Option of the parser, such as epochs=5; repeatable.
    quick
        Change what takes longest: difficulty trains mst with one order of two blocks, challenges
        three sizes with two samples, edv one sample of graded splits, not three; fragility draws
        20,000 subsets. The tables say so.
    subsets
        Number of random subsets of treebanks for fragility.
    seed
        Seed of all random draws.
    store
        Folder that stores the trainings. Default: store, in the folder `out`.
    workers
        Number of trainings at a time.
    out
        Folder for the page, LaTeX, tables as CSV and figures.
    metric
        Metric to compare systems by; upper or lower case.
    missing
        How to treat missing scores; averages never skip them. keep: compare systems over the
        treebanks that they share, in rank and in rank compare --test bradley-terry.
    metadata
        Table with a column treebank or name and any of language, tokens, family, stock, genus and
        resource. Languages and genera are known from names, and all columns for treebanks of the
        CoNLL 2018 shared task.
    gold
        The gold file or folder, if SCORES are system files or folders, as PATH or NAME=PATH. They
        are scored first, as by score; runs of one NAME are averaged, and failed output is missing.
        Not needed if it is first among SCORES, all others are NAME=PATH, or it alone has folders of treebanks.
    where
        A condition on a column of the table of scores, such as release=2.5, 'input=raw text' or
        'words >= 30000'; several must all hold.
    force
        Overwrite an existing file of another kind; an input is never overwritten.

    Examples
    --------
    >>> made = study("fragility", "conll18", subsets=1000, out=None)
    >>> made["Table 3"].rows[0]["system"]
    'HIT-SCIR'
    """

def tag(
    *files: str | PathLike[str],
    out: str | PathLike[str],
    columns: str | Sequence[str] = ('upos',),
    folds: int = 10,
    tagger: Literal['udpipe', 'perceptron'] = 'udpipe',
    iterations: int = 20,
    seed: int = 0,
    errors: Literal['strict', 'skip', 'repair'] = 'strict',
    force: bool = False,
) -> Tagging:
    """Tag sentences with predicted or jackknifed tags.

    The training set is tagged by folds, each by a tagger that has not seen it, with documents kept
    whole if there are enough; the dev and test
    sets of a folder, and any further files, are tagged by a tagger trained on the whole training
    set. The result has the accuracy of the predicted tags.

    Parameters
    ----------
    *files
        First the training set: a CoNLL-U file with gold tags, a treebank folder, or the name or code
        of a treebank under ``TREEGAUGE_UD``; then more files to tag. Trees are not used.
    out
        Folder for the copies, which keep the names of their files.
    columns
        What to predict: upos, xpos, feats, lemma; several are joined by commas.
    folds
        Number of folds of the training set; 0 leaves the training set out.
    tagger
        UDPipe's tagger, or the perceptron that is part of parsers' models: it predicts only UPOS
        and is hundreds of times as fast.
    iterations
        Training iterations of the tagger.
    seed
        Random seed; the same seed gives the same result.
    errors
        Malformed sentences: strict refuses the file, skip leaves them out, repair repairs them.
    force
        Overwrite an existing file of another kind; an input is never overwritten.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import treegauge as tg
    >>> home = Path(tempfile.mkdtemp())
    >>> tg.write_conllu(tg.synthetic(60, seed=1), home / "train.conllu")
    >>> tg.write_conllu(tg.synthetic(20, seed=2), home / "test.conllu")
    >>> tagged = tag(home / "train.conllu", home / "test.conllu", out=home / "predicted",
    ...              tagger="perceptron", folds=2, iterations=1)
    >>> tagged.table.select("file", "tagged").rows()
    [('train.conllu', 'by 2 folds'), ('test.conllu', 'by train')]
    """

def train(
    parser: str,
    treebank: Treebank | str | PathLike[str] | IO[str] | IO[bytes],
    *,
    out: str | PathLike[str],
    dev: Treebank | str | PathLike[str] | IO[str] | IO[bytes] | None = None,
    preset: str | None = None,
    option: Sequence[str] | Mapping[str, Any] = (),
    held_out: float | None = None,
    seed: int = 0,
    errors: Literal['strict', 'skip', 'repair'] = 'strict',
    calibrate: Literal['dev', 'folds', 'both', 'none'] = 'dev',
    force: bool = False,
) -> Training:
    """Train a parser.

    Given a treebank folder or name, uses its training set and, for early stopping, its dev set.
    Models of parsers that read UPOS include a tagger for text without tags. The result has its
    accuracy on the dev set, and the LAS there with gold and with predicted tags.

    Parameters
    ----------
    parser
        Name of a parser; ``treegauge train --list`` lists them.
    treebank
        A CoNLL-U file, a treebank folder, or the name or code of a treebank under ``TREEGAUGE_UD``.
    out
        The file to write.
    dev
        A dev set, for parsers that stop early or keep the best epoch.
    preset
        Start from the options of a publication, such as ``gb-DM17``; ``train --list PARSER``
        lists them. Options given with ``--option`` override them.
    option
        An option of the parser, such as ``epochs=5``; repeatable. In Python also a mapping.
    held_out
        Share of the training set to hold out as a dev set if there is none; 0 for none. Default:
        0.2 for the neural parsers, which keep the best epoch, and 0 for the others.
    seed
        Random seed; the same seed gives the same result.
    errors
        Malformed sentences: strict refuses the file, skip leaves them out, repair repairs them.
    calibrate
        Data for calibrating the probabilities of ``parse --confidence``: the dev set if there is
        one, folds of the training set (trains up to five more models), both, or none.
    force
        Overwrite an existing file of another kind; an input is never overwritten.

    Examples
    --------
    >>> from treegauge.testing.synthetic import synthetic
    >>> trained = train("mst", synthetic(30, seed=1), out="/dev/null", option={"epochs": 1})
    >>> len(trained.model.parse(synthetic(3, seed=2)))
    3
    """

class _Transfer:
    """Parse a language with parsers trained on treebanks of other languages.

    Trains a parser on each source that reads tags but no words. Their arcs are votes, weighted by
    the similarity of tag trigrams of source and target (KLcpos3 to the power -4); the tree with the
    largest total wins. It is scored if the target has trees.

    Parameters
    ----------
    target
        The target: a treebank folder or name (its test set is parsed, and tags of its training set
        determine the weights) or a tagged file.
    *sources
        The sources: treebank folders or names (their training sets) or files with trees.
    metric
        The metric of gains and equivalents: LAS, UAS, or a registered metric.
    leave_one_out
        Add the contribution of each source.
    curve
        Counts of the target's learning curve, as ``curve counts`` writes them, to report how many
        annotated sentences transfer is worth.
    limit
        Train on at most this number of sentences of each source, the first ones; by default on all.
    out
        Write the parsed target to this CoNLL-U file; - for standard output.
    sentences
        Number of target sentences, the first ones, whose tags determine the weights.
    parser
        Parser to train on each source, without words.
    preset
        Start from the options of a publication, such as mstparser.
    option
        Option of the parser, such as epochs=5; repeatable.
    seed
        Seed of the trainings.
    store
        Folder that stores the parses; trainings in it are not repeated. By default none.
    workers
        Number of trainings at a time.
    convention
        What counts: official (CoNLL 2018), challenges or no-punct (no punctuation), difficulty or
        subtypes (subtypes compared), or no-punct+subtypes.
    force
        Overwrite an existing file of another kind; an input is never overwritten.

    Returns
    -------
    Contributions
        The scores (none if the target has no trees), with the weights attached.

    Examples
    --------
    >>> import treegauge as tg
    >>> target, source = tg.synthetic(20, seed=1), tg.synthetic(30, seed=2)
    >>> found = transfer(target, source, parser="mst", option={"epochs": 1})
    >>> found.table.columns[:3]
    ['left_out', 'sources', 'metric']
    """

    def __call__(
        self,
        target: Any,
        *sources: Any,
        metric: str = 'LAS',
        leave_one_out: bool = False,
        curve: Any = None,
        limit: int | None = None,
        out: str | PathLike[str] | None = None,
        sentences: int = 10,
        parser: str = 'beam',
        preset: str | None = None,
        option: Sequence[str] | Mapping[str, Any] = (),
        seed: int = 0,
        store: Store | str | PathLike[str] | None = None,
        workers: int = 1,
        convention: str | Convention = 'official',
        force: bool = False,
    ) -> Contributions:
        """Parse a language with parsers trained on treebanks of other languages.

        Trains a parser on each source that reads tags but no words. Their arcs are votes, weighted by
        the similarity of tag trigrams of source and target (KLcpos3 to the power -4); the tree with the
        largest total wins. It is scored if the target has trees.

        Parameters
        ----------
        target
            The target: a treebank folder or name (its test set is parsed, and tags of its training set
            determine the weights) or a tagged file.
        *sources
            The sources: treebank folders or names (their training sets) or files with trees.
        metric
            The metric of gains and equivalents: LAS, UAS, or a registered metric.
        leave_one_out
            Add the contribution of each source.
        curve
            Counts of the target's learning curve, as ``curve counts`` writes them, to report how many
            annotated sentences transfer is worth.
        limit
            Train on at most this number of sentences of each source, the first ones; by default on all.
        out
            Write the parsed target to this CoNLL-U file; - for standard output.
        sentences
            Number of target sentences, the first ones, whose tags determine the weights.
        parser
            Parser to train on each source, without words.
        preset
            Start from the options of a publication, such as mstparser.
        option
            Option of the parser, such as epochs=5; repeatable.
        seed
            Seed of the trainings.
        store
            Folder that stores the parses; trainings in it are not repeated. By default none.
        workers
            Number of trainings at a time.
        convention
            What counts: official (CoNLL 2018), challenges or no-punct (no punctuation), difficulty or
            subtypes (subtypes compared), or no-punct+subtypes.
        force
            Overwrite an existing file of another kind; an input is never overwritten.

        Returns
        -------
        Contributions
            The scores (none if the target has no trees), with the weights attached.

        Examples
        --------
        >>> import treegauge as tg
        >>> target, source = tg.synthetic(20, seed=1), tg.synthetic(30, seed=2)
        >>> found = transfer(target, source, parser="mst", option={"epochs": 1})
        >>> found.table.columns[:3]
        ['left_out', 'sources', 'metric']
        """

    def recommend(
        self,
        target: Any,
        *sources: Any,
        sentences: int = 10,
    ) -> SourceWeights:
        """Rank sources by the similarity of their tags to the target's (KLcpos3).

        Uses the first sentences of the target's training set; trees are not needed, and nothing is trained.

        Parameters
        ----------
        target
            The target: a treebank folder or name, or a file.
        *sources
            The sources: treebank folders or names (their training sets) or files.
        sentences
            Number of target sentences, the first ones, whose tags determine the weights.
        """

transfer: _Transfer

def triage(
    a: Treebank | Source,
    b: Treebank | Source,
    *,
    gold: Treebank | Source,
    error: float | None = None,
    seconds: int = 10,
    units: str = 'auto',
    level: float = 0.95,
) -> Triage:
    """Accept the words on which two annotations agree, and list the others for review.

    A and B are the same sentences with the analyses of two parsers, or of a parser and an annotator.
    A sample of these sentences with gold annotation shows how often words on which they agree (in HEAD
    and DEPREL) are wrong all the same: the error that accepting them leaves in the rest.

    Parameters
    ----------
    a
        The first annotation, whose analyses are accepted.
    b
        The second annotation, of the same sentences and words.
    gold
        Gold annotation of some of the sentences, found by their sent_id: a random sample, best of
        whole documents.
    error
        Largest error, in percent, that accepted words may have. Then words are accepted only in
        sentences in which enough words agree: as few as the upper limit of the error permits.
    seconds
        Time to review a word, for the hours.
    units
        Units of the interval: documents, sentences, or auto (documents if A marks more than one with
        "# newdoc", else sentences).
    level
        Confidence level of the interval, and of the choice by --error.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> import treegauge as tg
    >>> from treegauge.testing.simulated_parser import simulated_parse
    >>> text = tg.synthetic(300, seed=1).to_bytes().decode()
    >>> home = pathlib.Path(tempfile.mkdtemp())
    >>> tg.write_conllu(tg.synthetic(300, seed=1).take(range(100)), home / "sample.conllu")
    >>> for seed, name in enumerate("ab"):
    ...     text = simulated_parse(text, seed=seed)
    ...     _ = (home / f"{name}.conllu").write_text(text, encoding="utf-8")
    >>> result = triage(home / "a.conllu", home / "b.conllu", gold=home / "sample.conllu", units="sentences")
    >>> result.rows[0]["error_low"] < result.rows[0]["error"] < result.rows[0]["error_high"]
    True
    """

def vote(
    gold: __Output,
    *systems: __Output | Mapping[str, Any],
    votes: Sequence[str] = (),
    out: str | PathLike[str] | None = None,
    convention: str | Convention = 'official',
    errors: Literal['strict', 'skip', 'repair'] = 'strict',
    allow: Sequence[str] = (),
    force: bool = False,
) -> Combination:
    """Combine systems by voting on arcs, and report what the best combination could reach.

    The maximum spanning tree of the votes with one root wins (reparsing; Sagae and Lavie 2006).

    Parameters
    ----------
    gold
        The gold file, or a folder of gold files; treebanks that lack output of a system are left
        out. In Python also a mapping from names to treebanks.
    *systems
        System files or folders, as PATH or NAME=PATH, or stores; repeat a NAME for several runs,
        which share its vote. In Python also treebanks, and mappings from names to outputs.
    votes
        Weight of a system's vote, as NAME=WEIGHT (1 where not given); repeatable.
    out
        Write the combined trees to this CoNLL-U file; with folders, to a file per treebank here.
    convention
        What counts: official (CoNLL 2018), challenges or no-punct (no punctuation), difficulty or
        subtypes (subtypes compared), or no-punct+subtypes.
    errors
        Malformed sentences: strict refuses the file, skip leaves them out, repair repairs them.
    allow
        Problems of trees to allow: several-roots, no-root or cycle.
    force
        Overwrite an existing file of another kind; an input is never overwritten.

    Returns
    -------
    Combination
        Scores of the best system, of the vote, and of oracles, means over runs and treebanks;
        `treebank` has the combined trees (`treebanks` those of each).

    Examples
    --------
    >>> import treegauge as tg
    >>> gold = tg.synthetic(20, seed=1)
    >>> voted = tg.vote(gold, {"a": gold, "b": gold})
    >>> [row["combination"] for row in voted.rows]
    ['best system: a', 'voted', 'oracle by sentence', 'oracle by word']
    """
