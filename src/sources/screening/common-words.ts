/** Words that hardly identify a party, and spellings of the same word. All in folded form. */

const words = (text: string): ReadonlySet<string> => new Set(text.split(" "))

export const PARTICLES = words(
  "al el ul bin ibn ben bint abu abou umm de del della der den da di do dos das du la le les van von the of and for y e i und et " +
    "or at in on to st zu af av",
)

/** Removed from a person's name if at least two other words remain. */
export const TITLES = words(
  "mr mrs ms miss dr prof professor sheikh shaykh shaikh sheik haji hajji hadji mullah mawlawi maulavi sir lord dame hon rev gen " +
    "general col colonel capt captain maj major lt sgt adm admiral brig sayyid sayyed seyed jr sr ii iii iv phd md esq",
)

/** Words of spelled-out legal forms that remain if the form itself is mistyped. */
export const COMPANY_WORDS = words(
  "company limited liability corporation incorporated corp joint stock public private open closed inc ltd llc comp gesellschaft " +
    "aktiengesellschaft obshchestvo ogranichennoi ogranichennoy otvetstvennostyu otvetstvennostiu aktsionernoe otkrytoe zakrytoe " +
    "publichnoe sirketi anonim ticaret sanayi limitada sociedad anonima establishment",
)

/** Maps a spelling to its word. A Map, because a company may be called "Constructor", and every plain object has that member. */
export const SAME_WORD: ReadonlyMap<string, string> = new Map(
  (
    "intl=international internatl=international int=international bros=brothers mfg=manufacturing " +
    "mfrs=manufacturers svcs=services svc=service srvcs=services srvs=services tech=technology " +
    "technologies=technology grp=group comm=communication communications=communication dept=department " +
    "govt=government natl=national assoc=association assn=association ent=enterprise enterprises=enterprise " +
    "ind=industry inds=industry industries=industry industrial=industry mgmt=management trdg=trading " +
    "shpg=shipping eng=engineering engg=engineering prod=products prods=products hldg=holding hldgs=holding " +
    "holdings=holding bk=bank inv=investment investments=investment dev=development univ=university saint=st"
  )
    .split(" ")
    .map((pair) => pair.split("=") as [string, string]),
)

/** The index is the number; `0th` has no word. */
export const ORDINALS = " first second third fourth fifth sixth seventh eighth ninth tenth".split(" ")

/** Digits and signs that stand for a letter when they have letters on both sides. */
export const LETTER_SUBSTITUTES: Readonly<Record<string, string>> = {
  "0": "o",
  "1": "i",
  "3": "e",
  "4": "a",
  "5": "s",
  "9": "g",
  $: "s",
  "@": "a",
  "!": "i",
}

/** A patronymic that the list omits is not a word of another name. */
export const PATRONYMIC = /.{3}(?:ovich|evich|ovna|evna|ovych|evych)$/
