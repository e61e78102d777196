// Ways in which a payer may write a listed name differently. Deterministic: the same list gives the same queries on every run. The two typo
// generators are independent, so that a search tuned on one is measured fairly by the other.

/** Returns numbers in [0, 1) from a fixed seed (mulberry32). */
export function sequence(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

export type Next = () => number

const pick = <T>(items: readonly T[], next: Next): T => items[Math.floor(next() * items.length)]!

/** Replaces, omits, adds or swaps one letter, anywhere in the name. */
export function randomTypo(name: string, next: Next): string {
  for (let tries = 0; tries < 100; tries++) {
    const at = Math.floor(next() * name.length)
    const kind = Math.floor(next() * 4)
    const letter = String.fromCharCode(65 + Math.floor(next() * 26))
    if (!/[A-Za-z]/.test(name[at]!)) continue
    const before = name.slice(0, at)
    const after = name.slice(at + 1)
    if (kind === 3 && !/^[A-Za-z]/.test(after)) continue
    const changed = [
      before + letter + after,
      before + after,
      before + letter + name.slice(at),
      before + after[0] + name[at] + after.slice(1),
    ][kind]!
    if (changed.toLowerCase() !== name.toLowerCase()) return changed
  }
  return name
}

export const twoRandomTypos = (name: string, next: Next): string => randomTypo(randomTypo(name, next), next)

const KEY_ROWS = ["qwertyuiop", "asdfghjkl", "zxcvbnm"]
const NEIGHBOURS = new Map<string, string>()
for (const [row, keys] of KEY_ROWS.entries())
  for (const [at, key] of [...keys].entries()) {
    const beside = [keys[at - 1], keys[at + 1], KEY_ROWS[row - 1]?.[at], KEY_ROWS[row - 1]?.[at + 1]]
    NEIGHBOURS.set(key, [...beside, KEY_ROWS[row + 1]?.[at - 1], KEY_ROWS[row + 1]?.[at]].join(""))
  }

/** Letters that a scanner or a tired reader confuses. */
const LOOK_ALIKE =
  "rn=m m=rn cl=d d=cl vv=w w=vv li=h h=b b=h e=c c=e u=v v=u n=ri f=t t=f i=l l=i g=q q=g a=o o=a 0=o o=0 l=1 s=5 b=8 z=2"
    .split(" ")
    .map((pair) => pair.split("=") as [string, string])

/** A human error: a neighbouring key, a letter typed twice or omitted, or letters that look alike. */
export function slip(name: string, next: Next): string {
  const lower = name.toLowerCase()
  for (let tries = 0; tries < 100; tries++) {
    const at = Math.floor(next() * lower.length)
    const letter = lower[at]!
    if (!/[a-z]/.test(letter)) continue
    const before = lower.slice(0, at)
    const after = lower.slice(at + 1)
    const kind = Math.floor(next() * 4)
    if (kind === 0) return before + pick([...NEIGHBOURS.get(letter)!], next) + after
    if (kind === 1) return before + letter + letter + after
    if (kind === 2 && letter === after[0]) return before + after
    const swaps = LOOK_ALIKE.filter(([from]) => lower.startsWith(from, at))
    if (kind === 3 && swaps.length > 0) {
      const [from, to] = pick(swaps, next)
      return before + to + lower.slice(at + from.length)
    }
  }
  return lower
}

export const twoSlips = (name: string, next: Next): string => slip(slip(name, next), next)

export function shuffled(name: string, next: Next): string {
  const words = name.replaceAll(",", "").split(" ")
  for (let at = words.length - 1; at > 0; at--) {
    const other = Math.floor(next() * (at + 1))
    ;[words[at], words[other]] = [words[other]!, words[at]!]
  }
  return words.join(" ")
}

/** Spellings that romanisation schemes exchange. Each pair is used in both directions. */
const SPELLINGS =
  "kh=h sh=sch ch=tch y=i ou=u q=k dj=j zh=j ya=ia yu=iu ts=tz ks=x ph=f w=v oo=u ee=i dh=d th=t gh=g aa=a ll=l ss=s z=s ey=ei ay=ai mm=m kh=k iy=i o=u e=i ck=k g=q v=ff zz=z ae=a"
    .split(" ")
    .flatMap((pair) => {
      const [a, b] = pair.split("=") as [string, string]
      return [[a, b] as const, [b, a] as const]
    })

/** Exchanges one spelling once. */
export function respelled(name: string, next: Next): string {
  const lower = name.toLowerCase()
  const usable = SPELLINGS.filter(([from]) => lower.includes(from))
  if (usable.length === 0) return lower
  const [from, to] = pick(usable, next)
  const places = [...lower.matchAll(new RegExp(from, "g"))].map((match) => match.index)
  const at = pick(places, next)
  return lower.slice(0, at) + to + lower.slice(at + from.length)
}

/** Joins two neighbouring words. */
export function joinedWords(name: string, next: Next): string {
  const spaces = [...name.matchAll(/(?<=[A-Za-z]) (?=[A-Za-z])/g)].map((match) => match.index)
  if (spaces.length === 0) return name
  const at = pick(spaces, next)
  return name.slice(0, at) + name.slice(at + 1)
}

/** Returns `SURNAME, Given Middle` without the text after the given name, or null if there is none. */
export function withoutMiddle(name: string): string | null {
  const [, surname, given, middle] = /^([^,]+), (\S+) (.+)$/.exec(name) ?? []
  return surname === undefined || middle === undefined ? null : `${given} ${surname}`
}

const FORM_AT_END = /,? (?:LLC|LTD\.?|LIMITED|INC\.?|CO\.|CORP\.?|S\.A\.|GMBH|PJSC|JSC|OOO|FZE)$/i

/** Replaces the legal form by another one; null if the name does not end with one. */
export function otherForm(name: string, next: Next): string | null {
  const bare = name.replace(FORM_AT_END, "")
  if (bare === name || bare.replace(/[^A-Za-z]/g, "").length < 4) return null
  return `${bare} ${pick(["LLC", "Limited", "Inc.", "S.A.", "GmbH", "B.V."], next)}`
}

/** Assigns a name to the dev or test half by its text alone (FNV-1a), so that no run and no row order moves a case. */
export function isDev(text: string): boolean {
  let hash = 2_166_136_261
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 16_777_619)
  return ((hash ^ (hash >>> 15)) & 1) === 0
}
