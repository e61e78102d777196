import { getProofWalletInventory, importProofWalletArtifact } from "../../../schemas/agent-mode/proof-wallet.ts"
import type { Operation } from "../../../schemas/operation.ts"
import { DAY, formatInstant } from "../../../src/core/time.ts"
import { BASE_URL } from "../../fixtures/service.ts"
import { asRequest, nonce, type SigningChanges, signedCall } from "../signed-calls.ts"
import * as made from "../wallet/artifacts.ts"
import { edit, type Wallets } from "../wallet/wallets.ts"
import { bodyLines, type ErrorLine, linesOf, paymentLines, sendText } from "./error-line.ts"

const IBAN = "GB33BUKB20201555555555"

/** A signed call that would succeed unless the body or its signature was changed. */
async function send(given: Wallets, row: Operation, body: unknown, changes: SigningChanges = {}): Promise<Response> {
  const { service, agent } = given
  const call = await signedCall(agent, { url: BASE_URL + row.path, body, at: service.clock.now() }, changes)
  return service.send(asRequest(call))
}

/** The refusals of both routes. `body` is good. */
function signatureLines(row: Operation, body: (given: Wallets) => object): ErrorLine[] {
  const line = linesOf(row)
  return [
    ...bodyLines(row),
    ...paymentLines(row, 403, "ECONOMIC_ISOLATION"),
    line(403, "AGENT_SIGNATURE_REQUIRED", (given) => sendText(given, row, JSON.stringify(body(given)))),
    line(403, "AGENT_SIGNATURE_INVALID", (given) => send(given, row, body(given), { key: given.other.operational })),
    line(422, "SIGNATURE_PARAMETERS_INVALID", (given) => send(given, row, body(given), { tag: "another" })),
    line(409, "NONCE_REPLAY", async (given) => {
      const changes = { nonce: nonce() }
      await send(given, row, body(given), changes)
      return send(given, row, body(given), changes)
    }),
    line(503, "STORE_UNAVAILABLE", (given) => send(given, row, body(given)), "broken"),
  ]
}

const inventoryBody = () => ({
  schema_version: "1.0.0",
  contract_version: "1.0.0",
  environment: "LIVE",
  filter: { artifact_types: [], validity: "ANY", issuer: null },
  page: { limit: 10, cursor: null as string | null },
})

const importBody = (given: Wallets) => given.requestOf("PROOF_CAPSULE", made.decision())

function importLines(): ErrorLine[] {
  const row = importProofWalletArtifact
  const line = linesOf(row)
  const forged = () =>
    edit(made.decision(), (copy) => {
      copy.signature.value = "A".repeat(86)
    })
  const foreign = () =>
    edit(made.decision(), (copy) => {
      copy.payload.issuer = "other"
      copy.signature.issuer = "other"
    })
  return [
    ...signatureLines(row, importBody),
    line(403, "ENVIRONMENT_ISOLATION", (given) =>
      send(given, row, given.requestOf("PROOF_CAPSULE", made.decision(), { environment: "SANDBOX" })),
    ),
    line(403, "PROVIDER_ISOLATION", (given) => send(given, row, given.requestOf("PROOF_CAPSULE", foreign()))),
    line(409, "IDEMPOTENCY_CONFLICT", async (given) => {
      const key = "the-same-key"
      await send(given, row, given.requestOf("PROOF_CAPSULE", made.decision(), { key }))
      return send(given, row, given.requestOf("PROOF_CAPSULE", made.passport(), { key }))
    }),
    line(422, "RAW_BANK_DATA_REJECTED", (given) =>
      send(given, row, given.requestOf("PROOF_CAPSULE", made.decision(), { key: IBAN })),
    ),
    line(422, "RETENTION_TOO_LONG", (given) => {
      const until = formatInstant(given.service.clock.now() + 401 * DAY)
      return send(given, row, given.requestOf("PROOF_CAPSULE", made.decision(), { until }))
    }),
    line(422, "ARTIFACT_REJECTED", (given) =>
      send(given, row, given.requestOf("PROOF_CAPSULE", forged(), { mode: "SIGNED_DOCUMENT" })),
    ),
    line(429, "WALLET_FULL", async (given) => {
      const agent = await given.service.enrol()
      made.elsewhere(given.service, "INSERT INTO wallet_usage VALUES (?1, 'LIVE', 1000, 1000, 0, '', 0)", agent.agentId)
      return send({ ...given, agent }, row, importBody(given))
    }),
  ]
}

function inventoryLines(): ErrorLine[] {
  const row = getProofWalletInventory
  const line = linesOf(row)
  const withCursor = { ...inventoryBody(), page: { limit: 10, cursor: "not-a-cursor" } }
  const longPage = { ...inventoryBody(), page: { limit: 11, cursor: null }, include_documents: true }
  const withBankData = { ...inventoryBody(), filter: { artifact_types: [], validity: "ANY", issuer: IBAN } }
  return [
    ...signatureLines(row, inventoryBody),
    line(422, "CURSOR_INVALID", (given) => send(given, row, withCursor)),
    line(422, "SCHEMA_INVALID", (given) => send(given, row, longPage)),
    line(422, "RAW_BANK_DATA_REJECTED", (given) => send(given, row, withBankData)),
  ]
}

export const WALLET_LINES: readonly ErrorLine[] = [...importLines(), ...inventoryLines()]
