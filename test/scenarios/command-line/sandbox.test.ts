/** `sandbox run`, `sandbox key` and `verify --sandbox`, as processes on a real data directory. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { readdirSync } from "node:fs"
import { run } from "../../fixtures/binary.ts"
import { freshDirectory } from "../../fixtures/directories.ts"
import committed from "../../sandbox/journey-digests.json"

const fresh = freshDirectory()
const at = (name: string) => `${fresh.path}/${name}`
const program = (line: string) => run(line.split(" "), { cwd: fresh.path, environment: { BIZAUTH_DATA: at("data") } })

beforeAll(async () => {
  expect((await program("init --data data --environment test")).exit).toBe(0)
  await Bun.write(at("key.json"), (await program("sandbox key")).out)
  await Bun.write(at("jwks.json"), (await program("keys export")).out)
}, 60_000)
afterAll(() => fresh[Symbol.dispose]())

test("a journey has the same payload here, and its wrappers verify with the pinned key alone", async () => {
  const ran = await program("sandbox run PAYMENT_DECISION_HOLD --seed 7 --json --out whole.json --artifacts documents")
  expect({ exit: ran.exit, err: ran.err }).toEqual({ exit: 0, err: "" })
  expect(JSON.parse(ran.out)).toMatchObject({ digest: committed.PAYMENT_DECISION_HOLD.payload })
  expect(await Bun.file(at("whole.json")).text()).toBe(ran.out.trimEnd())
  const files = readdirSync(at("documents")).sort()
  expect(files).toEqual(["1-EVENT_RECEIPT.json", "2-PROOF_CAPSULE.json"])
  const capsule = `documents/${files[1]}`

  const verified = await program(`verify ${capsule} --sandbox --issuer key.json --json`)
  expect(verified.exit).toBe(0)
  expect(JSON.parse(verified.out)).toMatchObject({
    genuine: "SYNTHETIC",
    permitted: null,
    journey: "PAYMENT_DECISION_HOLD",
    artifact_type: "PROOF_CAPSULE",
  })
  for (const file of [capsule, "whole.json"]) {
    const live = await program(`verify ${file} --issuer jwks.json`)
    expect({ exit: live.exit, said: live.out }).toEqual({ exit: 3, said: expect.stringContaining("NOT_GENUINE") })
  }
  expect((await program("verify whole.json --sandbox --issuer key.json")).exit).toBe(3)
  expect((await program(`verify ${capsule} --sandbox --issuer jwks.json`)).exit).toBe(4)
  const required = await program(`verify ${capsule} --sandbox --issuer key.json --require HOLD_PAYMENT`)
  expect({ exit: required.exit, out: required.out }).toEqual({
    exit: 9,
    out: expect.stringMatching(/^FAIL {2}environment +sandbox, not live$/m),
  })
  const rehearsed = `verify ${capsule} --issuer key.json --environment sandbox`
  expect((await program(`${rehearsed} --require HOLD_PAYMENT`)).exit).toBe(0)
  expect((await program(`${rehearsed} --require RELEASE_PAYMENT`)).exit).toBe(9)
  expect((await program(`${rehearsed} --sandbox`)).exit).toBe(0)
  expect((await program(`verify ${capsule} --sandbox --issuer key.json --environment test`)).exit).toBe(2)
  // Without its flag it is refused before its signature is read, whatever is required.
  const plain = await program(`verify ${capsule} --issuer jwks.json --require HOLD_PAYMENT --environment test`)
  expect({ exit: plain.exit, said: plain.out }).toEqual({ exit: 3, said: expect.stringContaining("sandbox") })
  expect((await program(`replay ${capsule}`)).exit).not.toBe(0)
}, 60_000)

test.each([
  ["sandbox run", "JOURNEY"],
  ["sandbox run ANOTHER", "JOURNEY must be one of"],
  ["sandbox run REHEARSAL", "JOURNEY must be one of"],
  ["sandbox run INTENT_BEACON --seed 2147483648", "--seed"],
  ["sandbox run INTENT_BEACON --clock 2019-12-31T00:00:00Z", "--clock"],
  ["sandbox run INTENT_BEACON --clock tomorrow", "--clock"],
])(
  "%s is a fault of the call",
  async (line, names) => {
    const { exit, err } = await program(line)
    expect({ exit, err }).toEqual({ exit: 2, err: expect.stringContaining(names) })
  },
  20_000,
)
