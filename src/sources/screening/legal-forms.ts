import { atFirstUse } from "../../core/at-first-use.ts"
import { shortTypoSimilarity, tokenSimilarity, typoSimilarity } from "./token-similarity.ts"
import { ELF_FORMS } from "./words/elf-forms.ts"

/** Legal forms are compared as six classes, not as words: `Ltd` equals `Limited`, and `LLC` nearly equals `Inc`. */

const FORMS = {
  LIMITED_LIABILITY:
    "llc,l l c,limited liability company,limited liability co,limited liability comp,pllc,ooo,o o o,obshchestvo s ogranichennoy otvetstvennostyu," +
    "obshchestvo s ogranichennoi otvetstvennostyu,tov,too,mmc,doo,d o o,srl,s r l,sarl,s a r l,gmbh,g m b h,ggmbh," +
    "gesellschaft mit beschrankter haftung,ltda,limitada,lda,bv,b v,bvba,besloten vennootschap,sp z o o,spzoo,sp zoo,kft,eood,ood," +
    "s r o,sro,spol s r o,fz llc,fzc,fze,fzco,fz co,wll,w l l,sia,uab,s de r l,de r l,rl,r l,s p r de r l,sociedad limitada",
  PRIVATE_LIMITED:
    "ltd,limited,ltd sti,ltd sirketi,limited sirketi,pvt ltd,private limited,pte ltd,pty ltd,co ltd,co limited,company limited," +
    "comp ltd,sti,sirketi,sdn bhd,pvt,pte,pty,sdn,bhd,ulc",
  CORPORATION:
    "cv,inc,incorporated,corp,corporation,sa,s a,s a de c v,sa de cv,cv de sa,de cv,c v,sociedad anonima,societe anonyme,plc," +
    "public limited company,ag,aktiengesellschaft,nv,n v,spa,s p a,as,a s,anonim sirketi,a o,ao,oao,pao,zao,jsc,pjsc,ojsc,cjsc,aojs," +
    "open joint stock company,public joint stock company,closed joint stock company,joint stock company,joint stock co,joint stock," +
    "aktsionernoe obshchestvo,otkrytoe aktsionernoe obshchestvo,zakrytoe aktsionernoe obshchestvo,publichnoe aktsionernoe obshchestvo," +
    "oy,oyj,ab,asa,aps,a d,ad,ead,se,kk,kabushiki kaisha,sae,sal,saog,tbk,pt,psc,pjs,sca,sas,s a s",
  PARTNERSHIP:
    "lp,l p,limited partnership,llp,l l p,limited liability partnership,kg,gmbh and co kg,gmbh co kg,partnership,ohg,komanditna",
  COMPANY: "co,company,comp,cie,compania,kompaniya,kompania,cia",
  OTHER: "est,establishment,fup,gup,fgup,state unitary enterprise,federal state unitary enterprise,public institution",
} as const

/** Bit of the plain word "company", which can accompany every class. */
export const COMPANY_BIT = 1 << Object.keys(FORMS).indexOf("COMPANY")

const CLASSES = Object.keys(FORMS)
const entries = (forms: Readonly<Record<string, string>>) =>
  Object.entries(forms).flatMap(([formClass, list]) =>
    list.split(",").map((form) => [form, 1 << CLASSES.indexOf(formClass)] as const),
  )

/**
 * Maps a spelling (tokens joined by one space) to the bit of its class. If GLEIF's table disagrees with the local one, the local one wins.
 */
export const legalFormBits = atFirstUse(
  (): ReadonlyMap<string, number> => new Map([...entries(ELF_FORMS), ...entries(FORMS)]),
)

const ownForms = atFirstUse((): ReadonlySet<string> => new Set(entries(FORMS).map(([form]) => form)))

/**
 * Returns the number of words of the longest form of this project's table that starts at `at`; 0 if none does. GLEIF's table has spellings
 * that are also names (`SPP`, `PSA`), so it is not used here.
 */
export function ownFormLengthAt(words: readonly string[], at: number): number {
  for (const length of lengthsOfForms().get(words[at]!) ?? [])
    if (length <= words.length - at && ownForms().has(words.slice(at, at + length).join(" "))) return length
  return 0
}

/** Word counts of the forms that start with a word, longest first. */
const lengthsOfForms = atFirstUse((): ReadonlyMap<string, readonly number[]> => {
  const lengths = new Map<string, number[]>()
  for (const form of legalFormBits().keys()) {
    const words = form.split(" ")
    const known = lengths.get(words[0]!) ?? []
    if (!known.includes(words.length))
      lengths.set(
        words[0]!,
        [...known, words.length].sort((a, b) => b - a),
      )
  }
  return lengths
})

/** Returns whether the word alone is a legal form, as in `S.A. Kave`, where the form comes first. */
export const isLegalForm = (word: string): boolean => legalFormBits().has(word)

/** The forms that a single wrong letter most often hides. Rarer forms would match acronyms. */
export const MISTYPED_FORMS: readonly string[] =
  "sa cv rl ag bv nv inc llc ltd plc corp gmbh ltda ooo oao zao pao jsc ojsc cjsc pjsc fze fzco eood ood srl sarl doo cia comp company".split(
    " ",
  )

export function isMistypedForm(word: string): boolean {
  return word.length <= 5 && !isLegalForm(word) && MISTYPED_FORMS.some((form) => shortTypoSimilarity(word, form) > 0.55)
}

/**
 * Returns whether the word is one letter away from a one-word legal form. Too many words are, so it counts only against a name that states
 * a form.
 */
export function isNearForm(word: string): boolean {
  if (word.length > 5 || isLegalForm(word)) return false
  return shortForms().some((form) => form.length > 1 && typoSimilarity(word, form, true) > 0)
}

const shortForms = atFirstUse(() =>
  [...legalFormBits().keys()].filter((form) => form.length <= 5 && !form.includes(" ")),
)

/**
 * Long words of the local spelled-out forms, by first letter. GLEIF's forms contain words such as `capital`, which resemble other words.
 */
const longWords = atFirstUse(() =>
  Map.groupBy(
    new Set(entries(FORMS).flatMap(([form]) => form.split(" ").filter((word) => word.length >= 7))),
    (word) => word[0]!,
  ),
)

/** Corrects `companny` to `company`. Otherwise a typo in a spelled-out form leaves the rest of the form as part of the name. */
function corrected(word: string): string {
  if (word.length < 6) return word
  const near = longWords().get(word[0]!) ?? []
  if (near.includes(word) || isLegalForm(word)) return word
  return near.find((known) => Math.abs(known.length - word.length) <= 1 && tokenSimilarity(word, known) >= 0.85) ?? word
}

interface WithoutLegalForms {
  readonly tokens: readonly string[]
  /** Bits of all classes found in the name. */
  readonly bits: number
}

/** Removes legal forms from a name, longest first, then forms whose words are apart. A name of only forms gives no tokens. */
export function takeLegalForms(words: readonly string[]): WithoutLegalForms {
  const tokens = words.map(corrected)
  const kept: string[] = []
  let bits = 0
  for (let at = 0; at < tokens.length; ) {
    const length = formLengthAt(tokens, at)
    if (length === 0) kept.push(tokens[at++]!)
    else {
      bits |= legalFormBits().get(tokens.slice(at, at + length).join(" "))!
      at += length
    }
  }
  return takeScattered(kept, bits)
}

function formLengthAt(tokens: readonly string[], at: number): number {
  for (const length of lengthsOfForms().get(tokens[at]!) ?? []) {
    if (length > tokens.length - at) continue
    if (length > 1 && !legalFormBits().has(tokens.slice(at, at + length).join(" "))) continue
    // `AB Foods`, `SE 1`: two letters at the start of a short name are more often part of the name.
    if (length === 1 && at === 0 && tokens[0]!.length < 3 && startsName(tokens)) continue
    return length
  }
  return 0
}

const startsName = (tokens: readonly string[]): boolean =>
  tokens.length < 3 || (tokens[1]!.length < 3 && !isLegalForm(tokens[1]!))

interface SpelledOut {
  readonly words: readonly string[]
  readonly bits: number
}

/**
 * Forms identified by words that have no other meaning: `Joint Muromteplovoz Open Stock Company` states the same form as the words in
 * order. Words that are forms on their own are handled one by one, so they are not included.
 */
const spelledOut = atFirstUse((): ReadonlyMap<string, readonly SpelledOut[]> => {
  const byWord = new Map<string, SpelledOut[]>()
  for (const [form, bits] of legalFormBits()) {
    const words = form.split(" ").filter((word) => !isLegalForm(word))
    const long = words.filter((word) => word.length >= 5)
    if (long.length < 2) continue
    for (const word of long) byWord.set(word, [...(byWord.get(word) ?? []), { words, bits }])
  }
  for (const forms of byWord.values()) forms.sort((a, b) => b.words.length - a.words.length)
  return byWord
})

function takeScattered(tokens: readonly string[], bits: number): WithoutLegalForms {
  for (const token of tokens)
    for (const form of spelledOut().get(token) ?? []) {
      const places = placesOf(form.words, tokens)
      if (places !== null)
        return takeScattered(
          tokens.filter((_, at) => !places.has(at)),
          bits | form.bits,
        )
    }
  return { tokens, bits }
}

/**
 * Returns the positions of the words, in any order; in forms of three or more words one may be mistyped. Returns null if a word is missing.
 */
function placesOf(words: readonly string[], tokens: readonly string[]): ReadonlySet<number> | null {
  const places = new Set<number>()
  let missing: string | null = null
  for (const word of words) {
    const at = tokens.findIndex((token, place) => token === word && !places.has(place))
    if (at >= 0) places.add(at)
    else if (missing !== null || word.length < 4 || words.length < 3) return null
    else missing = word
  }
  if (missing === null) return places
  const at = tokens.findIndex((token, place) => !places.has(place) && shortTypoSimilarity(token, missing) > 0.55)
  return at < 0 ? null : places.add(at)
}
