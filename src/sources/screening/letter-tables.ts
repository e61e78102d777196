/** One line for each letter or letter group: `from=to`, separated by spaces; an empty `to` drops the letter. */
function table(pairs: string): Readonly<Record<string, string>> {
  return Object.fromEntries(
    pairs.split(" ").map((pair) => [pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1)]),
  )
}

/** Latin letters without a canonical decomposition to ASCII, with stroke, hook and small-capital forms. Lower case. */
export const LATIN_LETTERS = table(
  "ß=ss æ=ae ø=o œ=oe đ=d ð=d ł=l þ=th ı=i ə=a ŋ=n ħ=h ŧ=t ƀ=b ɓ=b ɗ=d ɖ=d ƙ=k ƴ=y ɛ=e ɔ=o ȼ=c ɇ=e ɉ=j ɍ=r ɏ=y ƶ=z ƒ=f " +
    "ɨ=i ʉ=u ɑ=a ɡ=g ɩ=i ʋ=v ȷ=j ʻ= ʼ= ʽ= ʾ= ʿ= ʹ= ʺ= ˈ= ᴀ=a ʙ=b ᴄ=c ᴅ=d ᴇ=e ꜰ=f ɢ=g ʜ=h ɪ=i ᴊ=j ᴋ=k ʟ=l ᴍ=m ɴ=n ᴏ=o ᴘ=p " +
    "ʀ=r ꜱ=s ᴛ=t ᴜ=u ᴠ=v ᴡ=w ʏ=y ᴢ=z ꞌ=",
)

/** Letters of the scripts that can be transliterated to Latin, lower case. A name in any other script is never CLEAR. */
export const TRANSLITERATION = table(
  "а=a б=b в=v г=g д=d е=e ё=e ж=zh з=z и=i й=y к=k л=l м=m н=n о=o п=p р=r с=s т=t у=u ф=f х=kh ц=ts ч=ch ш=sh щ=shch " +
    "ъ= ы=y ь= э=e ю=yu я=ya і=i ї=yi є=ye ґ=g ў=u ј=j љ=lj њ=nj ћ=c ђ=dj џ=dz ѓ=g ќ=k ѕ=dz ә=a ғ=gh қ=q ң=n ө=o ұ=u ү=u һ=h " +
    "α=a β=v γ=g δ=d ε=e ζ=z η=i θ=th ι=i κ=k λ=l μ=m ν=n ξ=x ο=o π=p ρ=r σ=s ς=s τ=t υ=y φ=f χ=ch ψ=ps ω=o " +
    "ا=a أ=a إ=i آ=a ٱ=a ب=b ت=t ث=th ج=j ح=h خ=kh د=d ذ=dh ر=r ز=z س=s ش=sh ص=s ض=d ط=t ظ=z ع=a غ=gh ف=f ق=q ك=k ل=l م=m ن=n " +
    "ه=h و=u ي=i ى=a ة=a ئ= ء= ؤ=u پ=p چ=ch ژ=zh گ=g ک=k ی=i ـ= ٹ=t ڈ=d ڑ=r ں=n ہ=h ھ=h ے=e ۀ=h ۃ=h " +
    "א=a ב=b ג=g ד=d ה=h ו=v ז=z ח=h ט=t י=y כ=k ך=k ל=l מ=m ם=m נ=n ן=n ס=s ע=a פ=p ף=f צ=ts ץ=ts ק=k ר=r ש=sh ת=t",
)

/**
 * Letters of other scripts that look like a Latin letter (the part of the UTS 39 confusables that can spell a name). Case-sensitive,
 * because a Greek capital nu looks like N and the small one like v.
 */
export const LATIN_LOOK_ALIKES = table(
  "А=a В=b Е=e Ё=e З=3 І=i Ї=i Ј=j К=k М=m Н=h О=o Р=p С=c Ѕ=s Т=t У=y Ү=y Х=x Ҳ=x Ԛ=q Ԝ=w Ԁ=d Һ=h Ӏ=i Ғ=f Ѵ=v Ь=b Г=r Ґ=r Ө=o " +
    "а=a в=b е=e ё=e і=i ї=i ј=j к=k м=m н=h о=o р=p с=c ѕ=s т=t у=y ү=y х=x ҳ=x ԛ=q ԝ=w ԁ=d һ=h ӏ=l ѵ=v ь=b г=r п=n и=u ө=o ԍ=g " +
    "Α=a Β=b Ε=e Ζ=z Η=h Ι=i Κ=k Μ=m Ν=n Ο=o Ρ=p Τ=t Υ=y Χ=x Ϲ=c Ϳ=j Θ=o α=a β=b ε=e η=n ι=i κ=k μ=u ν=v ο=o ρ=p σ=o τ=t υ=u " +
    "χ=x ω=w γ=y ϲ=c ϳ=j ς=c Օ=o Տ=s Ս=u Լ=l օ=o ս=u հ=h ո=n ց=g ք=p ա=w զ=q ւ=l յ=j " +
    "Ꭺ=a Ᏼ=b Ꮯ=c Ꭰ=d Ꭼ=e Ꮐ=g Ꮋ=h Ꭻ=j Ꮶ=k Ꮮ=l Ꮇ=m Ꮲ=p Ꮢ=r Ꮪ=s Ꭲ=t Ꮩ=v Ꮃ=w Ꮓ=z " +
    "ꓮ=a ꓐ=b ꓚ=c ꓓ=d ꓰ=e ꓝ=f ꓖ=g ꓧ=h ꓲ=i ꓙ=j ꓗ=k ꓡ=l ꓟ=m ꓠ=n ꓳ=o ꓑ=p ꓣ=r ꓢ=s ꓔ=t ꓴ=u ꓦ=v ꓪ=w ꓫ=x ꓬ=y ꓜ=z",
)

/** Decimal digits outside ASCII that occur in company names. */
export const DIGITS = table("٠=0 ١=1 ٢=2 ٣=3 ٤=4 ٥=5 ٦=6 ٧=7 ٨=8 ٩=9 ۰=0 ۱=1 ۲=2 ۳=3 ۴=4 ۵=5 ۶=6 ۷=7 ۸=8 ۹=9")

/** Digits and signs that replace a letter they look like; `1` and `|` are an i or an l. */
export const LETTER_SIGNS = table("0=o 2=z 3=e 4=a 5=s 6=g 7=t 8=b 9=g $=s @=a !=i (=c")
