/** AGENT_ID_ENROLLMENT: an agent enrols, a copy of its proof is refused, and everyone reads and verifies what it proved. */
import { signingKey } from "../../agent/keys.ts"
import { signStatement } from "../../agent/sign-statement.ts"
import { canonicalize } from "../../core/canonical-json.ts"
import { signWith } from "../../core/ed25519.ts"
import { type Cast, enrolAgent, type MadeDocument } from "../journey-cast.ts"
import { SANDBOX_BASE_URL } from "../open-sandbox.ts"

export async function playAgentId(cast: Cast): Promise<MadeDocument[]> {
  const { transcript, sandbox, agentKeys } = cast
  const agent = await enrolAgent(cast)
  await repeatWithOtherMaterial(cast)
  const path = `/v1/agent-identities/${agent.issuer}`
  const read = (part: string) => transcript.call({ actor: "AGENT", method: "GET", path: `${path}${part}`, status: 200 })
  await read("")
  const status = await read("/status")
  await read("/jwks.json")
  const bundle = await read("/export")
  const statement = signStatement({
    agentId: agent.issuer,
    key: signingKey(agentKeys.operational),
    payload: { message: "synthetic agent signature test" },
    audience: SANDBOX_BASE_URL,
    actionType: "SYNTHETIC_TEST",
    context: { environment: "SANDBOX" },
    machine: sandbox.machine,
  })
  if (statement === null) throw new Error("the synthetic statement is no signed form")
  const post = (to: string) =>
    transcript.call({ actor: "AGENT", method: "POST", path: to, body: statement, status: 200 })
  await post("/v1/agent-signatures/verify")
  const registered = await post("/v1/agent-id/artifacts")
  return [
    { type: "EVENT_RECEIPT", document: agent.receipt },
    ...made("STATUS_RECORD", status.body),
    ...made("EXPORT_BUNDLE", bundle.body),
    ...made("ARTIFACT_REGISTRATION", registered.body),
  ]
}

/** The proof again with signatures by another key. */
async function repeatWithOtherMaterial({ transcript, agentKeys }: Cast): Promise<void> {
  const challenge = transcript.steps[0]?.response?.body
  const proof = transcript.steps[1]?.request
  if (!challenge || !("challenge" in challenge) || !proof?.body || !("signatures" in proof.body)) {
    throw new Error("the journey has no proof to repeat")
  }
  const { privateKey } = signingKey(agentKeys.next ?? agentKeys.recovery)
  const value = signWith(privateKey, canonicalize(challenge.challenge))
  const signatures = (proof.body.signatures as object[]).map((signature) => ({ ...signature, value }))
  await transcript.call({
    actor: "AGENT",
    method: "POST",
    path: proof.path,
    body: { ...proof.body, signatures },
    status: 409,
  })
}

function made(type: string, document: object | null): MadeDocument[] {
  return document === null ? [] : [{ type, document }]
}
