/** Signs a delegation with the organization's mandate key and the agent's key, on the machine that holds both, and enrols it. */
import { delegate, type WantedDelegation } from "../../agent/delegate.ts"
import { readKeyFile } from "../../agent/key-file.ts"
import { signingKey } from "../../agent/keys.ts"
import { type Send, sendOverNetwork, serverOrigin } from "../../agent/service-call.ts"
import { CommandError, EXIT, type ExitCode } from "../../base/exit.ts"
import { type Machine, realMachine } from "../../base/machine.ts"
import { keyIdOf } from "../../core/jwk.ts"
import type { Signer } from "../../core/signer.ts"
import { readMandateKey } from "../buyers/mandate-key-file.ts"
import { type Command, type Input, JSON_FLAG } from "../command.ts"

const required = true
const DAYS_DEFAULT = 30
const DAYS_MAX = 400

export const command: Command = {
  name: "agent delegate",
  summary: "let an agent key act for a buyer organization, signed by both; no private key leaves this machine",
  operands: "",
  flags: {
    "organization-key": { help: "private mandate key file of buyers keygen", value: "FILE", required },
    keys: { help: "key file of agent keygen, enrolled", value: "FILE", required },
    server: { help: "origin of the service", value: "URL", required },
    organization: { help: "organization id", value: "ID", required },
    "organization-digest": { help: "the digest the organization was entered with", value: "DIGEST", required },
    "max-payment": { help: "largest single payment, decimal", value: "AMOUNT", required },
    "max-total": { help: "largest sum of payments (default no limit)", value: "AMOUNT" },
    "max-requests-per-day": { help: "requests a day (default no limit)", value: "COUNT" },
    currency: { help: "ISO 4217 code (default USD)", value: "CODE" },
    scope: {
      help: "comma-separated: SIGN_REQUEST (default), SIGN_MANDATE, AUTHORIZE_DESTINATION_CHANGE",
      value: "SCOPES",
      repeats: true,
    },
    days: { help: `how long it lasts (default ${DAYS_DEFAULT}, at most ${DAYS_MAX})`, value: "DAYS" },
    ...JSON_FLAG,
  },
  examples: [
    "agent delegate --organization-key ./org.key --keys ./agent.json --server http://127.0.0.1:8402 --organization org:example --organization-digest sha256:0f5b3a8bd4a6c1c0fe2b1f0a7bb1a3bb7fd0a1f4c26f5c1f9c1c1c9f0c0a7d11 --max-payment 20000",
  ],
  run: (input) => runDelegate(input, sendOverNetwork, realMachine),
}

export async function runDelegate(input: Input, send: Send, machine: Machine): Promise<ExitCode> {
  const server = serverOrigin(input.need("server"))
  const organization = readMandateKey(input.need("organization-key"), input.need("organization"))
  const agent = agentSigner(input.need("keys"))
  const answer = await delegate({ send, server, organization, agent, machine }, wantedDelegation(input))
  const { delegation_id: delegationId, valid_until: validUntil } = answer.payload
  input.out(
    input.on("json")
      ? `${JSON.stringify({ version: 1, delegation_id: delegationId, answer })}\n`
      : `delegated  ${delegationId}\nagent      ${agent.issuer}\nkey        ${agent.keyId}\nuntil      ${validUntil}\n`,
  )
  return EXIT.DONE
}

function agentSigner(path: string): Signer {
  const keys = readKeyFile(path)
  if (keys.agent_id === undefined) {
    throw new CommandError(EXIT.USAGE, `${path} is not enrolled yet; run bizauth agent enroll first`)
  }
  const { x, privateKey } = signingKey(keys.operational)
  return { issuer: keys.agent_id, keyId: keyIdOf(x), privateKey }
}

function wantedDelegation(input: Input): WantedDelegation {
  return {
    organizationDigest: input.need("organization-digest"),
    scope: input.texts("scope").length === 0 ? ["SIGN_REQUEST"] : input.list("scope"),
    maxPayment: input.need("max-payment"),
    maxTotal: input.text("max-total") ?? null,
    maxRequestsPerDay: wholeNumber(input, "max-requests-per-day", 1_000_000),
    currency: input.text("currency") ?? "USD",
    days: wholeNumber(input, "days", DAYS_MAX) ?? DAYS_DEFAULT,
  }
}

function wholeNumber(input: Input, flag: string, most: number): number | null {
  const typed = input.text(flag)
  if (typed === undefined) return null
  const count = /^\d{1,7}$/.test(typed) ? Number(typed) : 0
  if (count < 1 || count > most)
    throw new CommandError(EXIT.USAGE, `--${flag} must be a whole number from 1 to ${most}`)
  return count
}
