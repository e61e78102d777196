import { expect, test } from "bun:test"
import type { Store } from "../../../src/store/engine/unit.ts"
import {
  activateKey,
  findServiceKey,
  listServiceKeys,
  type RevokeOutcome,
  revokeKey,
  type ServiceKey,
} from "../../../src/store/identity/service-keys.ts"
import { insertMeta, metaValue } from "../../../src/store/meta.ts"
import { newStore } from "../../fixtures/new-store.ts"

const T0 = "2026-01-01T00:00:00.000Z"
const T1 = "2026-02-01T00:00:00.000Z"

function key(name: string, createdAt = T0): ServiceKey {
  return {
    keyId: `ed25519-${name}`,
    use: "statement",
    x: name,
    status: "ACTIVE",
    createdAt,
    notBefore: createdAt,
    expiresAt: "2027-01-01T00:00:00.000Z",
    revokedSince: null,
  }
}

async function withStore(body: (store: Store) => Promise<void>): Promise<void> {
  await using opened = await newStore()
  await body(opened.store)
}

const statuses = async (store: Store) =>
  (await store.read(() => listServiceKeys("statement"))).map(({ keyId, status }) => [keyId, status])

test("the first key has no predecessor, and the next one names it", () =>
  withStore(async (store) => {
    expect(await store.run(() => activateKey(key("a")))).toBeNull()
    expect(await store.run(() => activateKey(key("b", T1)))).toBe("ed25519-a")
    expect(await statuses(store)).toEqual([
      ["ed25519-a", "ROTATED"],
      ["ed25519-b", "ACTIVE"],
    ])
    expect(await store.read(() => findServiceKey("ed25519-a"))).toEqual({ ...key("a"), status: "ROTATED" })
  }))

test("many parallel rotations leave exactly one ACTIVE key", () =>
  withStore(async (store) => {
    await Promise.all(Array.from({ length: 20 }, (_, i) => store.run(() => activateKey(key(`k${i}`)))))
    const active = (await statuses(store)).filter(([, status]) => status === "ACTIVE")
    expect(active).toHaveLength(1)
  }))

test("the same key cannot be activated twice, and the failed attempt rotates nothing", () =>
  withStore(async (store) => {
    await store.run(() => activateKey(key("a")))
    await expect(store.run(() => activateKey(key("a")))).rejects.toMatchObject({ kind: "UNIQUE", table: "service_key" })
    expect(await statuses(store)).toEqual([["ed25519-a", "ACTIVE"]])
  }))

test("a key of another use is independent", () =>
  withStore(async (store) => {
    await store.run(() => activateKey(key("a")))
    expect(await store.run(() => activateKey({ ...key("log"), use: "log" }))).toBeNull()
    expect(await statuses(store)).toEqual([["ed25519-a", "ACTIVE"]])
  }))

test("a key is revoked once, and never while it is ACTIVE: it is replaced first", () =>
  withStore(async (store) => {
    await store.run(() => activateKey(key("a")))
    await store.run(() => activateKey(key("b", T1)))
    const rows: readonly [keyId: string, outcome: RevokeOutcome][] = [
      ["ed25519-none", "NOT_FOUND"],
      ["ed25519-b", "ACTIVE"],
      ["ed25519-a", "REVOKED"],
      ["ed25519-a", "ALREADY_REVOKED"],
    ]
    for (const [keyId, outcome] of rows) expect(await store.run(() => revokeKey(keyId, T1))).toBe(outcome)
    expect(await statuses(store)).toEqual([
      ["ed25519-a", "REVOKED"],
      ["ed25519-b", "ACTIVE"],
    ])
    expect((await store.read(() => findServiceKey("ed25519-a")))?.revokedSince).toBe(T1)
  }))

test("values that init wrote are never overwritten", () =>
  withStore(async (store) => {
    expect(await store.run(() => insertMeta("environment", "test"))).toBe(true)
    expect(await store.run(() => insertMeta("environment", "live"))).toBe(false)
    expect(await store.read(() => metaValue("environment"))).toBe("test")
  }))
