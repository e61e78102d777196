import { type Digest, digestOf } from "../../core/digest.ts"
import {
  COMPANY_WORDS,
  LETTER_SUBSTITUTES,
  ORDINALS,
  PARTICLES,
  PATRONYMIC,
  SAME_WORD,
  TITLES,
} from "./common-words.ts"
import { DIGRAPHS, SOUND_CLASS } from "./consonant-skeleton.ts"
import { EVIDENCE, NEEDED, OTHER_FORMS } from "./evidence.ts"
import { NAME_LENGTH_MAX, READINGS_MAX } from "./fold.ts"
import { legalFormBits, MISTYPED_FORMS } from "./legal-forms.ts"
import { DIGITS, LATIN_LETTERS, LATIN_LOOK_ALIKES, LETTER_SIGNS, TRANSLITERATION } from "./letter-tables.ts"
import { JOINED_LENGTH_MIN } from "./listed-names.ts"
import { WORDS_MAX } from "./name-form.ts"
import { ABBREVIATIONS, PARTS_MAX, PHRASES, SEPARATOR } from "./name-parts.ts"
import { ADDED_READINGS_MAX, FIRST_SIGNALS, LAST_SIGNALS, READING_PATTERNS } from "./readings.ts"
import { MEANING } from "./same-meaning.ts"
import { SIMILARITY, WORD_LENGTH_MAX } from "./token-similarity.ts"
import { SHORT_FORM_ROWS, SPELLING_ROWS } from "./words/person-words.ts"
import { PLACE_WORDS } from "./words/place-words.ts"
import { REGISTER_WORDS } from "./words/register-words.ts"
import { TITLE_WORDS } from "./words/title-words.ts"
import { TRADE_ROWS } from "./words/trade-words.ts"

/** Set by scripts/build.ts, because computing it takes 4 ms of every start; absent when run from source. */
declare const BUILD_PARAMETER_DIGEST: string | undefined

/** Changes whenever the same name and list could get another score although no parameter changed. */
export const SCORER_VERSION = "svc-name-score/1.5.0"

/**
 * All numbers of the score, measured on the labelled pairs and real lists that the design names:
 * `s = A / (W + unmatchedQuery*Uq + unmatchedListed*Uc + contradiction*min(Uq,Uc) + inexactAndMissing*min(W-A,Uc))` with `W = sum(w)` and
 * `A = sum(w*sim)` over the pairs, then the multipliers.
 */
export const SCORE = {
  unmatchedQuery: 1,
  unmatchedListedPerson: 0.2,
  unmatchedListedOther: 0.25,
  /** Both sides have words that the other lacks: a disagreement, not an omission. */
  contradiction: 0.75,
  /** A misspelt word next to a missing listed word: more likely another name than a slip plus an omission. */
  inexactAndMissing: 0.3,
  pairSimilarityMin: 0.7,
  /** An initial against a word: its similarity, and its low weight. */
  initialSimilarity: 0.85,
  initialWeight: 0.3,
  singleLetterLeftOver: 0.4,
  patronymicLeftOver: 0.35,
  repeatedLeftOver: 0.2,
  typoSimilarityMin: 0.5,
  joinedSimilarity: 0.985,
  /** Score of a query that contains a whole listed name, see contained-name.ts. */
  containedName: 0.9,
  singleTokenOverlap: 0.92,
  /** One word agrees and the others agree only by an initial. */
  initialsOnly: 0.8,
  /** Same, if two or more initials agree and neither name has an unpaired word: `Aksyonov S.V.`. */
  allInitials: 0.92,
  numberDiffers: 0.6,
  numberMissing: 0.9,
  legalFormDiffers: 0.97,
  weakAlias: 0.9,
  weakAliasInexact: 0.85,
  typeDiffers: 0.92,
  weightMin: 0.12,
  weightParticle: 0.15,
  weightCompanyWord: 0.12,
  weightUnknownShort: 0.7,
  weightMistypedForm: 0.2,
} as const

/** Parameters of the candidate search; names outside the candidates cannot score. */
export const SEARCH = {
  neededMargin: 0.06,
  /** Just below `pairSimilarityMin`, so that the score decides a borderline pair, not a rounding error. */
  expansionSimilarityMin: 0.68,
  /** A word with at most this many letters, in at most this many names, may be a typo that only the score can detect. */
  shortWord: 6,
  rareCost: 60,
  /** If all words are short and rare: the share of their weight that the index must find. */
  allShortShare: 0.7,
  /** Maximum variants of one query with two words joined or one split. A long query has other words to match. */
  variantsMax: 5,
  variantWordsMax: 12,
} as const

/** Factors of the scorers that weigh words. */
export const WORDS = {
  /** Trade words are left out of the listed name or exchanged, and a word agrees that is rare on the lists: a person must decide. */
  tradeWordsDiffer: 0.94,
  rareWeight: 0.55,
  /** One initial beside a family name of at most `rareFamilyNames` listed names. */
  rareFamilyInitial: 0.92,
  rareFamilyNames: 8,
  /** Keys beside the space bar, and the fewest letters of a word on each side of one that is read as a space. */
  besideSpace: "cvbnm",
  splitLengthMin: 3,
} as const

/** Minimum information of a listed name that counts inside a longer one, see contained-name.ts. */
export const CONTAINED = {
  ordinaryWeight: 0.4,
  statedForm: 0.35,
  informationMin: 0.4,
  loneWordMin: 0.35,
  loneWordLetters: 5,
} as const

export const TIERS = {
  nearMissMin: 0.65,
  blockScoreMin: 0.95,
  blockInformationMin: 1.5,
  /**
   * From this information on, a person's name and country block. No list tells which names are common in a population that it hardly
   * covers: `Nguyen Thi Minh Tuan` has four rare words there. A word weighs at most 1, particles do not count, and names of many people
   * have at most five words. So none of them blocks by country, however short the list is (scripts/bench/screening/common-names.ts).
   */
  personBlockInformationMin: 5.2,
} as const

const sourcesOf = (patterns: readonly RegExp[]): readonly string[] => patterns.map(({ source }) => source)

/** What the scorer adds that weighs words. */
const WEIGHING = {
  words: WORDS,
  meaning: MEANING,
  evidence: EVIDENCE,
  needed: NEEDED,
  added_readings: ADDED_READINGS_MAX,
  trade_words: TRADE_ROWS,
  spellings: SPELLING_ROWS,
  short_forms: SHORT_FORM_ROWS,
  title_words: [...TITLE_WORDS],
  place_words: [...PLACE_WORDS],
  register_words: REGISTER_WORDS,
  other_forms: [...OTHER_FORMS],
  reading_patterns: READING_PATTERNS,
  reading_signals: { first: [...FIRST_SIGNALS], last: [...LAST_SIGNALS] },
}

interface ParametersOf {
  readonly version: string
  /** See {@link Scorer}. */
  readonly weighsWords: boolean
}

/** Everything that a score depends on apart from the code; the version identifies the code. */
export const parameters = (
  { version, weighsWords }: ParametersOf = { version: SCORER_VERSION, weighsWords: true },
) => ({
  scorer_version: version,
  ...(weighsWords && { weighing: WEIGHING }),
  score: SCORE,
  search: SEARCH,
  contained: CONTAINED,
  tiers: TIERS,
  similarity: SIMILARITY,
  limits: {
    name_length: NAME_LENGTH_MAX,
    readings: READINGS_MAX,
    words: WORDS_MAX,
    word_length: WORD_LENGTH_MAX,
    parts: PARTS_MAX,
    joined_length: JOINED_LENGTH_MIN,
  },
  tables: {
    latin: LATIN_LETTERS,
    transliteration: TRANSLITERATION,
    look_alikes: LATIN_LOOK_ALIKES,
    digits: DIGITS,
    letter_signs: LETTER_SIGNS,
    legal_forms: Object.fromEntries(legalFormBits()),
    mistyped_forms: MISTYPED_FORMS,
    particles: [...PARTICLES],
    titles: [...TITLES],
    company_words: [...COMPANY_WORDS],
    same_word: Object.fromEntries(SAME_WORD),
    ordinals: ORDINALS,
    letter_substitutes: LETTER_SUBSTITUTES,
    digraphs: DIGRAPHS.map(([letters, sound]) => [letters.source, sound]),
    sound_classes: SOUND_CLASS,
    markers: [...ABBREVIATIONS, ...PHRASES],
    patterns: sourcesOf([SEPARATOR, PATRONYMIC]),
  },
})

/** Identifies the scorer's behaviour in a proof: a changed table or number gives another digest. */
export const PARAMETER_DIGEST: Digest =
  typeof BUILD_PARAMETER_DIGEST === "string" ? (BUILD_PARAMETER_DIGEST as Digest) : digestOf(parameters())
