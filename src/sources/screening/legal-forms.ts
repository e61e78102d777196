import { shortTypoSimilarity, tokenSimilarity } from "./token-similarity.ts"

/** Legal forms are compared as six classes, not as words: `Ltd` against `Limited` is equal, `LLC` against `Inc` nearly. */

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

/** Bit of the plain word "company", which every class may add to itself. */
export const COMPANY_BIT = 1 << Object.keys(FORMS).indexOf("COMPANY")

/** Surface form (tokens joined by one space) to the bit of its class. */
export const LEGAL_FORM_BITS: ReadonlyMap<string, number> = new Map(
  Object.values(FORMS).flatMap((forms, at) => forms.split(",").map((form) => [form, 1 << at] as const)),
)

const LONGEST = Math.max(...[...LEGAL_FORM_BITS.keys()].map((form) => form.split(" ").length))

/** Whether the word alone is a legal form, as in `S.A. Kave` where the form was written first. */
export const isLegalForm = (word: string): boolean => LEGAL_FORM_BITS.has(word)

/** The forms a single wrong letter most often hides; the rarer ones would swallow acronyms. */
export const MISTYPED_FORMS: readonly string[] =
  "sa cv rl ag bv nv inc llc ltd plc corp gmbh ltda ooo oao zao pao jsc ojsc cjsc pjsc fze fzco eood ood srl sarl doo cia comp company".split(
    " ",
  )

export function isMistypedForm(word: string): boolean {
  return word.length <= 5 && !isLegalForm(word) && MISTYPED_FORMS.some((form) => shortTypoSimilarity(word, form) > 0.55)
}

/** Long words of spelled-out forms by their first letter. */
const LONG_WORDS = Map.groupBy(
  new Set([...LEGAL_FORM_BITS.keys()].flatMap((form) => form.split(" ")).filter((word) => word.length >= 7)),
  (word) => word[0]!,
)

/** `companny` is `company`: otherwise a typo in the form leaves the rest of a spelled-out form standing as the name. */
function corrected(word: string): string {
  if (word.length < 6) return word
  const near = LONG_WORDS.get(word[0]!) ?? []
  return near.find((known) => Math.abs(known.length - word.length) <= 1 && tokenSimilarity(word, known) >= 0.85) ?? word
}

export interface WithoutLegalForms {
  readonly tokens: readonly string[]
  /** Bits of the classes found anywhere in the name. */
  readonly bits: number
}

/** Takes legal forms out of a name, longest first. A name of nothing but legal forms gives no tokens. */
export function takeLegalForms(words: readonly string[]): WithoutLegalForms {
  const tokens = words.map(corrected)
  const kept: string[] = []
  let bits = 0
  for (let at = 0; at < tokens.length; ) {
    const length = formLengthAt(tokens, at)
    if (length === 0) kept.push(tokens[at++]!)
    else {
      bits |= LEGAL_FORM_BITS.get(tokens.slice(at, at + length).join(" "))!
      at += length
    }
  }
  return { tokens: kept, bits }
}

function formLengthAt(tokens: readonly string[], at: number): number {
  for (let length = Math.min(LONGEST, tokens.length - at); length >= 1; length--) {
    const form = length === 1 ? tokens[at]! : tokens.slice(at, at + length).join(" ")
    if (!LEGAL_FORM_BITS.has(form)) continue
    // `AB Foods`, `SE 1`: two letters at the start of a short name are more often the name itself.
    if (length === 1 && at === 0 && form.length < 3 && (tokens.length < 3 || tokens[1]!.length < 3)) continue
    return length
  }
  return 0
}
