/**
 * `bun scripts/legal-forms.ts ELF-CODES.csv`: writes `src/sources/screening/words/elf-forms.ts` from GLEIF's list of entity legal forms (ISO
 * 20275, free to use). Run it by hand when GLEIF publishes. The CSV is not part of the repository.
 */
import { readFileSync } from "node:fs"
import { parse } from "csv-parse/sync"
import { foldName } from "../src/sources/screening/fold.ts"

const OUT = "src/sources/screening/words/elf-forms.ts"

/**
 * Assigns a form to a class by its full name; the first matching line wins. Forms without a class (funds, churches, branches) are omitted.
 */
const CLASSES = {
  PARTNERSHIP:
    /partner|kommandit|commandite|comandita|accomandita|vennootschap onder firma|offene handels|nom collectif|nombre colectivo|nome collettivo|nome coletivo|osobowa|jawna|komandyt|komandit|handelsbolag|interessentskab|ansvarlig selskap|tovarishchestvo|tovarystvo|togarniggesellschaft|sabiratelno|omorrythm|eterorrythm|ukio|tikroji|taisuhing|usaldusuhing|kommandiittiyhtio|avoin yhtio|betéti|beteti|kozkereseti|kollektiv|komandi/,
  LIMITED_LIABILITY:
    /limited liability|limited liabilty|beschrankter haftung|responsabilit|ogranicen|ogranichen|ograniczon|obmezhen|rucenim|rucením|odgovornostju|odgovornoscu|omejeno|ansvar|beperkte aansprakelijkheid|korlatolt felelossegu|periorismenis|osauhing|sabiedriba ar ierobezotu|uzdaroji|mesuliyyet|otgovornost|besloten vennootschap|raspundere limitata|pergjegjesi|perioris/,
  CORPORATION:
    /joint.stock|aktien|anonym|anonim|azioni|acoes|por acciones|par actions|akcyjna|akciova|akcionersk|aktsioner|aktsia|aktie|aksje|akcine|akciju|reszvenytarsasag|public limited|public company|incorporated|corporation|naamloze|dionicko|delniska|osakeyhtio|hlutafelag|shareholding|kabushiki|terbatas|berhad/,
  PRIVATE_LIMITED:
    /private limited|private company|proprietary|unlimited company|limited company|company limited|limited by guarantee|limited by shares/,
} as const
type FormClass = keyof typeof CLASSES

/** These letters have another meaning in names, which would be lost with them. */
const ALSO_WORDS = new Set(
  (
    "sat sam son gen gar fund sic pool ets sum cic gie sce icc pcc spc rlt lca reit coop chartered society union trust bank credit fdn tun mas " +
    "ilp dal bra ccc mat pma mse its ind per con uno tri bencom cyf asc tda sau mec sep epa bit art trustco " +
    "pac sec sap gag fab bab sac arl zub opc"
  ).split(" "),
)
const WORDS_MAX = 6
/** Describes the business or the owner of the company, not its legal form. */
const ALSO_BUSINESS =
  /labuan|foreign|domestic|insurance|bank|trust|develop|business|poistovn|casa|bolsa|institucion|cooperat|consortile|agricole|avocats|internazional|forsakring|vakuutus|fastighet|kiinteisto|asunto|investi|inversion|placement|kapitalanlagen|desportiva|financ|seguros|sadovod|ukio|zemes|profesional|trgov|khozyaystv|nekommerch|forening|safer|reit/

const plain = (text: string): string =>
  (foldName(text).readings[0] ?? "")
    .replace(/['.`"]/g, "")
    .replace(/[^a-z0-9]+/g, " ")
    .trim()

const found: Record<FormClass, Set<string>> = {
  PARTNERSHIP: new Set(),
  LIMITED_LIABILITY: new Set(),
  CORPORATION: new Set(),
  PRIVATE_LIMITED: new Set(),
}
const classesOf = new Map<string, Set<FormClass>>()

function add(form: string, formClass: FormClass): void {
  found[formClass].add(form)
  classesOf.set(form, (classesOf.get(form) ?? new Set()).add(formClass))
}

const [path] = process.argv.slice(2)
if (path === undefined) {
  console.error("usage: bun scripts/legal-forms.ts ELF-CODES.csv")
  process.exit(2)
}
const [, ...rows] = parse(readFileSync(path, "utf8"), { relax_column_count: true, bom: true }) as string[][]
for (const row of rows) {
  const [name = "", transliterated = "", local = "", abbreviated = ""] = [row[5], row[8], row[9], row[10]]
  if (row[12] !== "ACTV") continue
  const full = plain(transliterated || name)
  const formClass = (Object.keys(CLASSES) as FormClass[]).find((each) => CLASSES[each].test(full))
  if (formClass === undefined) continue
  const words = full.split(" ").length
  // The hand-made table has the English names. GLEIF's other English ones ("development corporation") are descriptions.
  if (row[7] !== "en" && words >= 2 && words <= WORDS_MAX && full.length >= 12 && !ALSO_BUSINESS.test(full))
    add(full, formClass)
  for (const short of `${local};${abbreviated}`.split(/[;,]/)) {
    const form = plain(short)
    if (/^[a-z]{3,8}$/.test(form) && !ALSO_WORDS.has(form)) add(form, formClass)
  }
}
/** Letters that mean forms of two classes in two countries prove no class. */
const lines = (Object.keys(CLASSES) as FormClass[]).map((formClass) => {
  const forms = [...found[formClass]].filter((form) => classesOf.get(form)!.size === 1).sort()
  return `  ${formClass}:\n    ${JSON.stringify(forms.join(","))},`
})
const text = `/** Entity legal forms of ISO 20275 by class, in folded form. Written by \`scripts/legal-forms.ts\` from GLEIF's list; not edited by hand. */
const ELF_FORMS = {
${lines.join("\n")}
} as const
`
await Bun.write(OUT, text)
console.log(lines.map((line) => `${line.trim().slice(0, 20)} ${line.split(",").length}`).join("\n"))
