/** A company check bought from a running server, and everything that can be verified after server and chain have gone. Black box. */
import { expect, test } from "bun:test"
import { readFileSync, statSync, writeFileSync } from "node:fs"
import { run } from "../fixtures/binary.ts"
import { openTestOperator, SCENARIO_MS } from "../fixtures/test-operator.ts"

test(
  "an answer bought from a file is verified, exported, replayed and screened again with its passport, and every forgery is detected",
  async () => {
    await using operator = await openTestOperator()
    const at = (name: string) => operator.path(name)
    const read = (name: string) => readFileSync(at(name), "utf8")
    const check = {
      schema_version: "1.0.0",
      idempotency_key: "check-0001",
      jurisdiction: "US",
      coverage: "FEDERAL_ONLY",
      company: { legal_name: "Harbor Light Instruments LLC", identifiers: { uei: "ZQGGHJH74DW7" } },
      freshness_requirements: { max_age_seconds: 172_800, evaluated_at: new Date().toISOString() },
      correlation: { correlation_id: "po-1", trace_id: "run-1" },
    }
    writeFileSync(at("check.json"), JSON.stringify(check, null, 2))

    const server = await operator.serve()
    const requests = ["--server", server.origin, "--request", at("check.json"), "--out", at("check.quote")]
    const quoted = await run(["agent", "quote", ...requests])
    expect([quoted.exit, quoted.err]).toEqual([0, ""])
    expect(quoted.out).toContain("0.040000 USDC")
    const payment = ["--quote", at("check.quote"), "--request", at("check.json"), "--wallet-key", at("wallet.key")]
    const bought = ["--out", at("answer.json"), "--yes", "--max-atomic", "40000"]
    const paid = await run(["agent", "pay", ...payment, ...bought])
    expect([paid.exit, paid.err]).toEqual([0, ""])
    expect((await operator.transfers()).map(({ value }) => value)).toEqual([40_000n])
    expect(statSync(at("answer.json")).mode & 0o077).toBe(0)
    const answer = JSON.parse(read("answer.json"))
    writeFileSync(at("passport.json"), await (await fetch(answer.result.passport.uri)).text())
    writeFileSync(
      at("again.json"),
      await (await fetch(`${server.origin}/v1/us/executions/${answer.execution_id}`)).text(),
    )
    const pageOf = (id: string) => fetch(`${server.origin}/deliveries/${id}`, { headers: { accept: "text/html" } })
    const page = await pageOf(answer.execution_id)
    expect([page.status, page.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"])
    expect(Object.fromEntries(page.headers)).toMatchObject({
      "cache-control": "no-store",
      "referrer-policy": "no-referrer",
      "x-robots-tag": "noindex",
    })
    const shown = await page.text()
    for (const words of [
      answer.decision,
      answer.machine_action,
      "US_OFAC_SDN",
      "test environment",
      "SETTLED, 0.04 USDC",
    ])
      expect(shown).toContain(words)
    expect(shown).toContain(`href="/v1/us/executions/${answer.execution_id}"`)
    const refusals = new Set<string>()
    for (const id of [`exe_${"A".repeat(22)}`, "exe_short", answer.delivery_id, answer.request_id, "dec_x"]) {
      const missing = await pageOf(id)
      expect(missing.status).toBe(404)
      const fields = [...missing.headers].filter(([name]) => !["x-request-id", "date"].includes(name))
      refusals.add(JSON.stringify(fields) + (await missing.text()).replace(/Request <code>[^<]+/, "Request <code>"))
    }
    expect(refusals.size).toBe(1)
    expect(await server.stop()).toBe(0)
    expect(server.err() + server.out()).not.toContain(answer.execution_id)
    for (const name of [
      "answer.json",
      "again.json",
      "passport.json",
      "answer.json.capsule",
      "check.json",
      "check.quote",
    ]) {
      const told = await run(["show", at(name)])
      expect([name, told.exit, told.err]).toEqual([name, 0, ""])
      expect(told.out).toContain("It is shown, not verified")
    }
    expect((await run(["show", at("answer.json")])).out).toContain(`${answer.decision}: ${answer.machine_action}`)

    // From here on no server listens: only files, the operator's data directory, and the issuer's keys remain.
    expect(
      (
        await operator.verify(at("answer.json"), [
          "--request",
          at("check.json"),
          "--require",
          "CONTINUE",
          "--environment",
          "test",
        ])
      ).exit,
    ).toBe(0)
    const beside = ["--capsule", at("answer.json.capsule")]
    expect((await operator.verify(at("again.json"), beside)).exit).toBe(0)
    expect((await operator.verify(at("passport.json"), ["--check", at("answer.json")])).exit).toBe(0)

    const out = ["--data", operator.data, "--out", at("bundle.json")]
    expect((await run(["export", answer.execution_id, ...out])).exit).toBe(0)
    expect((await operator.verify(at("bundle.json"), ["--require", "CONTINUE", "--environment", "test"])).exit).toBe(0)
    const rescreened = ["replay", at("bundle.json"), "--rescreen", "--data", operator.data, "--json"]
    const replayed = await run([...rescreened, "--issuer", at("issuer.jwks.json")])
    expect(replayed.exit).toBe(0)
    const [file] = JSON.parse(replayed.out).files as { checks: { check: string; state: string }[] }[]
    const same = file?.checks.filter(({ state }) => state === "OK").map((one) => one.check)
    expect(same).toEqual(expect.arrayContaining(["decision", "capsule payload", "signature", "screening"]))

    const forgeries: readonly (readonly [file: string, from: string, to: string, flags: readonly string[]])[] = [
      ["answer.json", '"decision":"APPROVE"', '"decision":"REVIEW"', beside],
      ["answer.json", '"state":"CLEAR"', '"state":"MATCH"', beside],
      ["passport.json", "Harbor Light", "Barbor Light", []],
      ["bundle.json", `"payer":"0x`, `"payer":"0X`, []],
    ]
    for (const [name, from, to, flags] of forgeries) {
      const forged = read(name).replace(from, to)
      expect([name, from, forged === read(name)]).toEqual([name, from, false])
      writeFileSync(at("forged.json"), forged)
      expect([name, from, (await operator.verify(at("forged.json"), flags)).exit]).toEqual([name, from, 3])
    }
    expect((await run(["replay", at("forged.json")])).exit).toBe(3)
    expect((await operator.verify(at("again.json"))).exit).toBe(4)

    const reasons = await run(["policies", answer.policy.id, "--json"])
    expect(JSON.parse(reasons.out).policies[0].checksum).toBe(answer.policy.checksum)
    expect((await run(["policies", "US_COMPANY_CHEK"])).exit).toBe(5)
  },
  SCENARIO_MS,
)
