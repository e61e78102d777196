/** The agent's part of the demo: it signs, registers and rotates. A third party then checks its history without trusting the service. */
import { readFileSync, writeFileSync } from "node:fs"
import type { AgentSignatureVerification } from "../../schemas/agent-id/signature-outcomes.ts"
import { type Buyer, must, type Run } from "./buyer.ts"
import { expectSame, type Story } from "./story.ts"

interface IdentityParts {
  readonly story: Story
  readonly run: Run
  /** Data directory of the service, for the data that its operator publishes: the log's verifier key. */
  readonly data: string
}

export async function identityOutlivesItsKey({ story, run, data }: IdentityParts, agent: Buyer): Promise<void> {
  const keys = agent.path("agent.json")
  const signed = agent.path("statement.json")
  await story.tell("signed statement", 0n, async () => {
    writeFileSync(agent.path("message.json"), JSON.stringify({ message: "synthetic agent signature test" }))
    const what = [
      "--payload",
      agent.path("message.json"),
      "--audience",
      agent.server,
      "--action-type",
      "SYNTHETIC_TEST",
    ]
    await must(run, ["agent", "sign", "--keys", keys, ...what, "--out", signed])
    const { outcomes } = await verification(run, signed, agent.server, 0)
    const registration = await agent.post("/v1/agent-id/artifacts", JSON.parse(readFileSync(signed, "utf8")))
    const { registered, transparency } = (await registration.json()) as {
      registered: boolean
      transparency: { log_index: number }
    }
    expectSame("the registration", registered, true)
    return {
      outcome: "five outcomes, no boolean; the payload is kept nowhere",
      facts: {
        cryptographic: outcomes.cryptographic.outcome,
        lifecycle: outcomes.lifecycle.outcome,
        registered: `leaf ${transparency.log_index} of the log`,
      },
    }
  })
  await story.tell("rotation", 0n, async () => {
    await must(run, ["agent", "rotate", "--keys", keys, "--json"])
    const { outcomes } = await verification(run, signed, agent.server, 3)
    expectSame("the old key's signature", outcomes.cryptographic.outcome, "VALID")
    expectSame("the old key", outcomes.lifecycle.outcome, "KEY_ROTATED")
    expectSame("anchored before the change", outcomes.lifecycle.anchored_before_change, true)
    return {
      outcome: "to the key committed at enrolment; what the old one signed and registered before stays provable",
    }
  })
  const logKey = (await must(run, ["keys", "export", "--use", "log", "--data", data])).text.trim()
  await story.tell("identity bundle", 0n, async () => {
    const { agent_id: id } = JSON.parse(readFileSync(keys, "utf8")) as { agent_id: string }
    const bundle = agent.path("identity.json")
    const text = await (await fetch(`${agent.server}/v1/agent-identities/${id}/export`)).text()
    writeFileSync(bundle, text)
    await must(run, ["agent", "verify-bundle", bundle, "--log-key", logKey, "--min-sequence", "1"])
    writeFileSync(bundle, text.replace('"sequence":1', '"sequence":2'))
    expectSame(
      "verify-bundle of a changed history",
      (await run(["agent", "verify-bundle", bundle, "--log-key", logKey])).exit,
      3,
    )
    writeFileSync(bundle, text)
    const module = agent.path("verifier.mjs")
    writeFileSync(module, await (await fetch(`${agent.server}/v1/agent-id/verifier.mjs`)).text())
    const ran = Bun.spawnSync([process.execPath, module, bundle, "--log-key", logKey], {
      stdout: "pipe",
      stderr: "pipe",
    })
    expectSame("the published verifier", ran.exitCode, 0)
    return { outcome: "history and newest event verified offline, by the command and by the published module" }
  })
  await story.tell("log audit", 0n, async () => {
    const { json } = await must(run, ["log", "audit", "--server", agent.server, "--log-key", logKey, "--json"])
    const offline = await must(run, ["log", "audit", "--data", data, "--json"])
    expectSame("the directory's root", offline.json["root_hash"], json["root_hash"])
    return { outcome: `${json["tree_size"]} leaves read as tiles, tree and map rebuilt: the same roots as on disk` }
  })
}

async function verification(
  run: Run,
  file: string,
  server: string,
  exit: number,
): Promise<Pick<AgentSignatureVerification, "outcomes">> {
  const ran = await run(["agent", "verify-signature", file, "--server", server, "--json"])
  expectSame("verify-signature", ran.exit, exit)
  return JSON.parse(ran.out) as AgentSignatureVerification
}
