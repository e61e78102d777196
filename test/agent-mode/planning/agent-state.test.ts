/** The state of the agent is read for each plan. */
import { expect, test } from "bun:test"
import { openDatabase } from "../../../db/open.ts"
import { intentBody, planningService } from "./planning-service.ts"

test("a revocation by another connection is in the very next plan", async () => {
  await using service = await planningService()
  const { agentId } = await service.enrol()
  const body = intentBody({ intent: "RELEASE_PAYMENT_TO_SUPPLIER", requesting_agent: { agent_id: agentId } })
  const codes = async () => (await service.ask("preflight", body)).payload.reason_codes
  expect(await codes()).not.toContain("AGENT_KEY_NOT_ACTIVE")
  expect(await codes()).not.toContain("AGENT_KEY_NOT_ACTIVE")
  const other = openDatabase(service.service.dataDirectory.paths.database)
  other.run("UPDATE agent_key SET status = 'REVOKED', until = since WHERE role = 'OPERATIONAL'")
  other.close()
  expect(await codes()).toContain("AGENT_KEY_NOT_ACTIVE")
})
