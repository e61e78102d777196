/** The agent checks a supplier before a deal, and the supplier can show others what the check proved. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { type CompanyCheckResult, checkCompany } from "../../schemas/us/company-check.ts"
import { type AnswerParts, buyAnswer } from "./answers.ts"
import { type Buyer, must } from "./buyer.ts"
import { companyCheckDraft } from "./drafts.ts"
import { offlineProgram } from "./isolated.ts"
import { priceOf } from "./money.ts"
import { expectSame } from "./story.ts"
import { threeWords } from "./three-words.ts"

const CHECK = "company-check"
const PASSPORT = "passport.json"
export const KEPT_CHECK_FILES = [`${CHECK}.json`, `${CHECK}.json.capsule`, PASSPORT] as const

export async function supplierIsChecked(parts: AnswerParts, agent: Buyer): Promise<void> {
  const { story, run, binary, folder, data } = parts
  const { answer } = await story.tell("company check", priceOf(checkCompany), async () => {
    const body = companyCheckDraft(Date.now())
    const order = { name: CHECK, operation: checkCompany, body, decision: "APPROVE" } as const
    return { outcome: "APPROVE, sold to whoever pays", ...(await buyAnswer<CompanyCheckResult>(parts, agent, order)) }
  })
  const offline = offlineProgram(binary, join(folder, "elsewhere"))
  const issuer = ["--issuer", agent.path("issuer.jwks.json")]
  const file = agent.path(`${CHECK}.json`)
  await story.tell("check proven", 0n, async () => {
    const bundle = agent.path(`${CHECK}.bundle.json`)
    const { words } = threeWords(
      offline,
      [file, ...issuer, "--require", "CONTINUE", "--environment", "test"],
      "CONTINUE",
    )
    await must(run, ["export", answer.execution_id, "--data", data, "--out", bundle])
    offline.run(["replay", bundle, ...issuer])
    return { outcome: `${words}, and decided again from its facts, ${offline.said}` }
  })
  await story.tell("passport", 0n, async () => {
    const { passport_id: id, valid_until: until } = answer.result.passport ?? { passport_id: "none", valid_until: "" }
    const given = await fetch(`${agent.server}/v1/us/company-passports/${id}`)
    expectSame("the status", given.status, 200)
    writeFileSync(agent.path(PASSPORT), await given.text())
    const { words } = threeWords(offline, [agent.path(PASSPORT), "--check", file, ...issuer], null)
    return { outcome: `what the check proved, for anyone to read: ${words}`, facts: { passport: id, until } }
  })
}
