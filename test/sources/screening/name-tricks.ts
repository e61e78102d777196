/** Ways to write a listed name that a person still reads and a program may not (ruling 52, and further tricks of an attacker). */

type Trick = (name: string) => string

const letters = (name: string, change: (letter: string, at: number) => string): string =>
  [...name].map((c, at) => (/[A-Za-z]/.test(c) ? change(c, at) : c)).join("")

const mapped = (pairs: string): Trick => {
  const table = new Map(pairs.split(" ").map((pair) => [pair[0]!, [...pair].slice(1).join("")]))
  return (name) => [...name.toUpperCase()].map((c) => table.get(c) ?? c).join("")
}

/** Letters of a Unicode range that starts at `upper` for A and, if it has small letters, at `lower` for a. */
const run =
  (upper: number, lower = upper): Trick =>
  (name) =>
    letters(name, (c) => {
      const code = c.charCodeAt(0)
      return String.fromCodePoint(code < 97 ? upper + code - 65 : lower + code - 97)
    })

const everySecond = (name: string, insert: string): string => letters(name, (c, at) => (at % 2 === 1 ? c + insert : c))
const words = (name: string): string[] => name.split(/\s+/)
const HARMLESS = "Pellworth Foods"

export const TRICKS: Readonly<Record<string, Trick>> = {
  "zero-width space in words": (name) => everySecond(name, "\u200b"),
  "zero-width joiner in words": (name) => everySecond(name, "\u200d"),
  "word joiner in words": (name) => everySecond(name, "\u2060"),
  "soft hyphen in words": (name) => everySecond(name, "\u00ad"),
  "combining grapheme joiner": (name) => everySecond(name, "\u034f"),
  "variation selector": (name) => everySecond(name, "\ufe0f"),
  "Hangul filler": (name) => everySecond(name, "\u3164"),
  "tag characters": (name) => everySecond(name, "\u{e0041}"),
  "zero-width space for spaces": (name) => name.replaceAll(" ", "\u200b"),
  "no-break space": (name) => name.replaceAll(" ", "\u00a0"),
  "ideographic space": (name) => name.replaceAll(" ", "\u3000"),
  "Braille blank for spaces": (name) => name.replaceAll(" ", "\u2800"),
  "line separator": (name) => name.replaceAll(" ", "\u2028"),
  "control characters": (name) => everySecond(name, "\u0007"),
  "Cyrillic look-alikes": mapped("AА BВ EЕ KК MМ HН OО PР CС TТ XХ YУ IІ SЅ JЈ"),
  "Greek look-alikes": mapped("AΑ BΒ EΕ ZΖ HΗ IΙ KΚ MΜ NΝ OΟ PΡ TΤ YΥ XΧ"),
  "Cherokee look-alikes": mapped("AᎪ BᏴ CᏟ DᎠ EᎬ GᏀ HᎻ JᎫ KᏦ LᏞ MᎷ PᏢ RᎡ SᏚ TᎢ VᏙ WᎳ ZᏃ"),
  "one Cyrillic letter": (name) => name.replace(/a/i, "а").replace(/o/i, "о"),
  "full-width letters": run(0xff21, 0xff41),
  "mathematical bold": run(0x1d400, 0x1d41a),
  "mathematical script": run(0x1d4d0, 0x1d4ea),
  "mathematical double-struck": run(0x1d538, 0x1d552),
  "mathematical monospace": run(0x1d670, 0x1d68a),
  "circled letters": run(0x24b6, 0x24d0),
  "parenthesised letters": (name) =>
    letters(name.toLowerCase(), (c) => String.fromCodePoint(0x249c + c.charCodeAt(0) - 97)),
  "squared letters": (name) => letters(name.toUpperCase(), (c) => String.fromCodePoint(0x1f130 + c.charCodeAt(0) - 65)),
  "negative squared letters": (name) =>
    letters(name.toUpperCase(), (c) => String.fromCodePoint(0x1f170 + c.charCodeAt(0) - 65)),
  "regional indicators": (name) =>
    letters(name.toUpperCase(), (c) => String.fromCodePoint(0x1f1e6 + c.charCodeAt(0) - 65)),
  "superscript letters": (name) =>
    [...name.toLowerCase()]
      .map((c) => "aᵃ bᵇ dᵈ eᵉ gᵍ hʰ iⁱ kᵏ mᵐ nⁿ oᵒ pᵖ rʳ sˢ tᵗ uᵘ vᵛ wʷ".split(" ").find((p) => p[0] === c)?.[1] ?? c)
      .join(""),
  "small capitals": (name) =>
    [...name.toLowerCase()]
      .map(
        (c) =>
          "aᴀ bʙ cᴄ dᴅ eᴇ gɢ hʜ iɪ jᴊ kᴋ lʟ mᴍ nɴ oᴏ pᴘ rʀ tᴛ uᴜ vᴠ wᴡ yʏ zᴢ".split(" ").find((p) => p[0] === c)?.[1] ??
          c,
      )
      .join(""),
  "combining strokes": (name) => letters(name, (c) => `${c}\u0336`),
  "stacked combining marks": (name) => letters(name, (c) => `${c}\u0301\u0308\u0323`),
  "Latin letters with marks": mapped("AĂ CÇ DĐ EĘ GĢ HĦ IĮ LŁ NŃ OØ SŞ TŦ UŲ ZŻ"),
  "Latin extended look-alikes": mapped("AȺ BƁ CȻ DƊ EƎ GƓ IƗ KƘ NƝ OƟ PƤ TƬ VƲ YƳ ZƵ"),
  ligatures: (name) =>
    name.toLowerCase().replaceAll("fi", "ﬁ").replaceAll("fl", "ﬂ").replaceAll("st", "ﬆ").replaceAll("ae", "æ"),
  "digits for letters": mapped("A4 E3 I1 O0 S5"),
  "digits also at the ends of words": mapped("B8 T7 O0 L1 Z2"),
  "signs for letters": mapped("A@ S$ I! C( L|"),
  "currency signs": mapped("E€ Y¥ L£ N₦ W₩ K₭ P₱"),
  "letters spaced out": (name) =>
    words(name)
      .map((word) => [...word].join(" "))
      .join("  "),
  "letters with dots": (name) =>
    words(name)
      .map((word) => [...word].join("."))
      .join(" "),
  "letters with hyphens": (name) =>
    words(name)
      .map((word) => [...word].join("-"))
      .join(" "),
  "letters with underscores": (name) =>
    words(name)
      .map((word) => [...word].join("_"))
      .join(" "),
  "letters with middle dots": (name) =>
    words(name)
      .map((word) => [...word].join("·"))
      .join(" "),
  "pairs of letters": (name) =>
    words(name)
      .map((word) => word.replace(/(..)(?=.)/g, "$1 "))
      .join(" "),
  "no spaces": (name) => name.replaceAll(" ", ""),
  "hyphens for spaces": (name) => name.replaceAll(" ", "-"),
  "underscores for spaces": (name) => name.replaceAll(" ", "_"),
  "dots for spaces": (name) => name.replaceAll(" ", "."),
  "camel case": (name) =>
    words(name.toLowerCase())
      .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
      .join(""),
  "small L for capital i": (name) => name.toUpperCase().replaceAll("I", "l"),
  "capital i for small L": (name) => name.toLowerCase().replaceAll("l", "I"),
  "right-to-left override": (name) => `\u202e${[...name].reverse().join("")}\u202c`,
  "right-to-left override around nothing": (name) => `\u202e\u202c${name}`,
  "over-long by a tail": (name) => `${name} ${"and further deliveries ".repeat(20)}`,
  "over-long by a head": (name) => `${"further deliveries and ".repeat(20)} ${name}`,
  "sixteen words before": (name) => `${"of the and for ".repeat(4)}${name}`,
  "sixteen words after": (name) => `${name} ${"alpha bravo delta gamma ".repeat(4)}`,
  dba: (name) => `${HARMLESS} dba ${name}`,
  "d/b/a": (name) => `${HARMLESS} d/b/a ${name}`,
  "D.B.A.": (name) => `${HARMLESS} D.B.A. ${name}`,
  "dba:": (name) => `${HARMLESS} DBA: ${name}`,
  "doing business as": (name) => `${HARMLESS} doing business as ${name}`,
  "t/a": (name) => `${HARMLESS} t/a ${name}`,
  "trading as": (name) => `${HARMLESS} trading as ${name}`,
  "T/AS": (name) => `${HARMLESS} T/AS ${name}`,
  aka: (name) => `${HARMLESS} a.k.a. ${name}`,
  fka: (name) => `${HARMLESS} f/k/a ${name}`,
  "c/o": (name) => `${HARMLESS} c/o ${name}`,
  "℅": (name) => `${HARMLESS} ℅ ${name}`,
  "care of": (name) => `${HARMLESS} care of ${name}`,
  attn: (name) => `${HARMLESS} Attn: ${name}`,
  "for account of": (name) => `${HARMLESS} for account of ${name}`,
  "on behalf of": (name) => `${name} on behalf of ${HARMLESS}`,
  "for the benefit of": (name) => `${HARMLESS} FBO ${name}`,
  "a division of": (name) => `${HARMLESS}, a division of ${name}`,
  "a subsidiary of": (name) => `${HARMLESS}, a subsidiary of ${name}`,
  "part of": (name) => `${HARMLESS} (part of ${name})`,
  slash: (name) => `${HARMLESS} / ${name}`,
  "slash without spaces": (name) => `${HARMLESS}/${name}`,
  "fraction slash": (name) => `${HARMLESS} ⁄ ${name}`,
  backslash: (name) => `${HARMLESS} \\ ${name}`,
  pipe: (name) => `${HARMLESS} | ${name}`,
  "broken bar": (name) => `${HARMLESS} ¦ ${name}`,
  bullet: (name) => `${HARMLESS} • ${name}`,
  semicolon: (name) => `${HARMLESS}; ${name}`,
  colon: (name) => `${HARMLESS}: ${name}`,
  "long dash": (name) => `${HARMLESS} — ${name}`,
  "hyphen between": (name) => `${HARMLESS} - ${name}`,
  "plus between": (name) => `${HARMLESS} + ${name}`,
  comma: (name) => `${HARMLESS}, ${name}`,
  newline: (name) => `${HARMLESS}\n${name}`,
  tab: (name) => `${HARMLESS}\t${name}`,
  arrow: (name) => `${HARMLESS} → ${name}`,
  "equals sign": (name) => `${HARMLESS} = ${name}`,
  "angle brackets": (name) => `${HARMLESS} <${name}>`,
  quotes: (name) => `${HARMLESS} "${name}"`,
  parentheses: (name) => `${HARMLESS} (${name})`,
  "open parenthesis": (name) => `${HARMLESS} (${name}`,
  "full-width parentheses": (name) => `${HARMLESS}（${name}）`,
  brackets: (name) => `${HARMLESS} [${name}]`,
  braces: (name) => `${HARMLESS} {${name}}`,
  "nested parentheses": (name) => `${HARMLESS} (the (${name}))`,
  "insertion in parentheses": (name) => {
    const [first, ...rest] = words(name)
    return rest.length === 0 ? `${name} (${HARMLESS})` : `${first} (${HARMLESS} Delivered Fresh) ${rest.join(" ")}`
  },
  "letter in parentheses": (name) => letters(name, (c, at) => (at === 2 ? `(${c})` : c)),
  "question mark for a letter": (name) => letters(name, (c, at) => (at === 2 ? "?" : c)),
  "asterisk for a letter": (name) => letters(name, (c, at) => (at === 2 ? "*" : c)),
  "replacement character": (name) => letters(name, (c, at) => (at === 2 ? "\ufffd" : c)),
  "private-use letter": (name) => letters(name, (c, at) => (at === 2 ? "\ue001" : c)),
  "emoji between letters": (name) => everySecond(name, "🔥"),
  "HTML entities": (name) => letters(name, (c, at) => (at === 2 ? `&#${c.charCodeAt(0)};` : c)),
  "percent encoding": (name) => name.replaceAll(" ", "%20"),
  "words twice": (name) => `${name} ${name}`,
}
