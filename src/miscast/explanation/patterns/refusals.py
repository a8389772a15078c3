"""A dtype that somebody refuses, in words of no known origin: every library has its own."""

from ..pattern import OpClue, Pattern

NO_DTYPES = (
    "numpy.object", "objecttype", "nonetype", "<classstr", "<classlist", "<classdict", "nlp.", "filetype", "mimetype",
    "contenttype", "modeltype", "tokenizer", "invalidcombinationofarguments", "didntmatchbecause", "convertalltensorstofaketensors", "castingitto", "todecimal",
    "rtypenothandled", "nomatchingfunction", "noknownconversion",
)  # fmt: skip
"""Types that are no dtypes."""

PATTERNS = (
    Pattern(
        name="dtype-refused", category="unsupported-dtype", library="", spoken=True,
        texts=(
            ("[unsupported|un-supported|not supported|invalid|unknown|unexpected|unrecognized|unhandled|illegal] "
             "[dtype|data type|datatype|scalar type|scalartype|tensor type|tensor dtype|input dtype|input type|"
             "compute type|element type|numpy type|tensor element type|storage type|weight dtype|output dtype|kv cache dtype|torch dtype|activation dtype|type]"
             "{..}{found:exact}"),
            ("[dtype|data type|datatype|scalar type|compute type|tensor type|type] {found:exact} [is |][not supported|"
             "unsupported|not implemented|not allowed|not available|not recognized]"),
            "{found:exact} [is |are |][not supported|unsupported|not implemented|not yet supported|not currently supported]",
            ("{found:exact} [tensors|tensor|inputs|input|weights|dtype|type|data type|datatype|precision|computation|"
             "compute type|mode|values|quantization|matmul|parameters|training|inference|format|kernel|kernels] "
             "[is|are] [not supported|unsupported|not implemented|not available|not yet supported|only supported|"
             "currently not supported|not currently supported]"),
            ("[does not|do not|doesn't|don't|did not|no|cannot|can't|not] support[|s|ed] [|for |efficient |the |torch |"
             "dtype |dtypes |data type |type |scalar type |tensors of type |tensors with dtype |input dtype |input type |"
             "computation in |training in |native ]{found:exact}"),
            "[no|not] [kernel|implementation|operator|support] [found |available |registered |exists |]for {..}{found:exact}",
            "[unsupported|not supported] [by|on|in|for] {..}{found:exact}",
            "not [yet |currently |]supported {..}[data type|dtype|datatype|scalar type|element type] {found:exact}",
            ("[unable to|cannot|can not|can't|could not|failed to] [process|handle|freeze|create|map|lower|serialize|export|"
             "compile|translate|represent|quantize|dispatch|instantiate|multiply|compute|execute] {..}{found:exact}"),
            "[unsupported|invalid|wrong] {.}[dtype|data type|precision|scalar type]{..}{found:exact}",
            "to {found:exact} but the only supported are {expected:exact}",
            "[scalar type|scalartype|tensor type|tensor dtype|data type|datatype] is [not supported|unsupported]",
            "[un-supported|unsupported|not supported] [dtype|data type|scalar type|datatype|tensor dtype]",
            ("[only supports|only support|supports only|support only|only accepts|only works with|only works for|only handles|"
             "only implemented for|only available for|only supported for|only allowed for|only defined for] "
             "{..}{expected:exact}{...}[got|but found|found|received|given|but input is|instead of] {..}{found:exact}"),
            ("[only supports|only support|supports only|support only|only accepts|only works with|only works for|"
             "only handles|only implemented for|only available for|only supported for|only allowed for] "
             "[|the |torch |dtype |dtypes |data type |inputs of |tensors of type |inputs in ]{expected:exact} "
             "[and {also:exact}|or {also:exact}|{also:exact}|]"),
            ("only {expected:exact} [is|are|tensors are|inputs are|weights are|dtype is|type is|precision is|and "
             "{also:exact} are|or {also:exact} are|and {also:exact} is|or {also:exact} is] [supported|allowed|accepted|"
             "implemented]"),
        ),
        unless=NO_DTYPES, implies=("library-refuses-dtype",),
    ),
    Pattern(
        name="hardware-lacks-dtype", category="unsupported-dtype", op="model load", library="", spoken=True,
        texts=(
            ("{found:exact} {..}[needs|requires|require|need] {..}[compute capability|Ampere|Hopper|Ada|Blackwell|sm_|SM|"
             "the cpu support|cpu support|avx512|hardware|hardware with|GPU|GPUs|CUDA devices|H100|A100|B200]"),
            ("{found:exact} {..}only [supported|available|implemented] {..}[compute capability|Ampere|Hopper|Ada|Blackwell|sm_|GPUs|"
             "CUDA|cuda|H100|A100|XPU]"),
            ("[GPU|device|hardware|platform|CPU|backend|accelerator|machine|architecture] {..}[does not|doesn't|cannot|"
             "can't|do not] [support|run|handle|use] {..}{found:exact}"),
            "[compute capability|SM|Hopper|Ada|Ampere|Blackwell|GPU] {..}[required|needed|necessary] for {.}{found:exact}",
            "{found:exact} {..}[not supported|unsupported|not available] {..}[device|GPU|hardware|platform|architecture|CPU|backend|Blackwell|Hopper|Ampere]",
        ),
        op_clues=(OpClue(op="matmul", place="message", words=("matmul", "gemm")),), unless=NO_DTYPES,
        implies=("hardware-lacks-dtype",),
    ),
    Pattern(
        name="dtype-no-key", category="unsupported-dtype", library="",
        texts=(
            "KeyError: torch.{found}",
            "KeyError: [|(][triton.language.|tl.]{found}",
            "KeyError: [|'][float8_|float4_|float5_|float6_|F8_E|fp8e]",
        ),
        op_clues=(
            OpClue(op="Triton kernel", place="words", words=("triton/",), frames=3),
            OpClue(op="save", place="function", words=("_tobytes",)),
        ),
        implies=("library-refuses-dtype",),
    ),
)
