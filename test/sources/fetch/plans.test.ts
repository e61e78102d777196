import { describe, expect, test } from "bun:test"
import { DAY, HOUR } from "../../../src/core/time.ts"
import type { Network } from "../../../src/sources/fetch/network.ts"
import { keptUrl, type PlanInput } from "../../../src/sources/fetch/plan.ts"
import { PLANS } from "../../../src/sources/fetch/plans.ts"
import { SOURCE_IDS } from "../../../src/sources/records/party.ts"
import { REGISTER_IDS } from "../../../src/sources/records/register-id.ts"
import { NOW, SHORT_LIMITS } from "../../fixtures/downloads.ts"
import { mirrorBelow } from "../../fixtures/mirror-below.ts"
import { type Answer, file, internet, PUBLIC, publisher, status } from "../../fixtures/publisher.ts"

const nowhere: Network = {
  resolve: () => Promise.reject(new Error("no plan but SAM's asks anything")),
  open: () => {
    throw new Error("no plan but SAM's asks anything")
  },
}

const input = (given: Partial<PlanInput> & { network?: Network; mirror?: string } = {}): PlanInput => ({
  transport: {
    network: given.network ?? nowhere,
    mirror: mirrorBelow(given.mirror ?? ""),
    limits: SHORT_LIMITS,
    userAgent: "bizauth/test",
  },
  now: given.now ?? NOW,
  samKey: given.samKey ?? null,
})

/** SAM's page of files, at a name with a certificate. */
async function listed<T>(reply: Answer, use: (network: Network) => Promise<T>): Promise<T> {
  await using server = await publisher(true, { "/api/prod/fileextractservices/v1/api/listfiles": reply })
  const net = internet({ "sam.gov": [[PUBLIC]] }, server.port)
  return await use({ resolve: net.resolve, open: (dial) => net.open({ ...dial, serverName: "lists.example.test" }) })
}

const page = (...names: string[]) =>
  JSON.stringify({
    _embedded: { customS3ObjectSummaryList: names.map((displayKey) => ({ displayKey, dateModified: "x" })) },
  })
const NEWEST = "SAM_Exclusions_Public_Extract_V2_26282.ZIP"

describe("a plan", () => {
  test.each(SOURCE_IDS.filter((id) => id !== "US_SAM_EXCLUSIONS"))(
    "of %s uses https at a known host, within limits",
    async (id) => {
      const { sets } = await PLANS[id](input())
      expect(sets.length).toBeGreaterThan(0)
      for (const file of sets.flat()) {
        expect(file.url.protocol).toBe("https:")
        expect(file.url.hostname).toMatch(/\.(gov|gov\.uk)$/)
        expect(file.bytesMin).toBeGreaterThan(0)
        expect(file.bytesMax).toBeGreaterThan(file.bytesMin)
        expect(file.bytesMax).toBeLessThanOrEqual(1024 ** 3)
      }
    },
  )

  test("of OFAC requests the zipped XML first and the four CSV files last, under the publisher's names", async () => {
    const { sets, news } = await PLANS.US_OFAC_SDN(input())
    expect(sets.map((set) => set.map(({ url }) => url.pathname.split("/").at(-1)))).toEqual([
      ["SDN_XML.ZIP"],
      ["SDN.XML"],
      ["SDN.CSV", "ADD.CSV", "ALT.CSV", "SDN_COMMENTS.CSV"],
    ])
    expect(sets.at(-1)?.map(({ name, isOptional = false }) => [name, isOptional])).toEqual([
      ["sdn.csv", false],
      ["add.csv", false],
      ["alt.csv", false],
      ["sdn_comments.csv", true],
    ])
    expect(news?.url.href).toBe("https://sanctionslistservice.ofac.treas.gov/changes/latest")
  })

  test.each(SOURCE_IDS)("of %s uses only the mirror if one is set", async (id) => {
    const { sets, news } = await PLANS[id](input({ mirror: "http://mirror.example.test:8080/lists", samKey: "k3y" }))
    expect(news).toBeNull()
    for (const { name, url } of sets.flat())
      expect(url.href).toBe(`http://mirror.example.test:8080/lists/${id}/${name}`)
  })
})

describe("SAM's exclusions", () => {
  test("without a key have the newest name on SAM's page, in its public folder", async () => {
    const names = [
      "README.txt",
      "SAM_Exclusions_Public_Extract_V2_26099.ZIP",
      NEWEST,
      "SAM_Exclusions_Public_Extract_V2_25364.ZIP",
    ]
    const plan = await listed(file(page(...names)), (network) => PLANS.US_SAM_EXCLUSIONS(input({ network })))
    const [[only] = []] = plan.sets
    expect(only?.name).toBe(NEWEST)
    expect(only?.url.href).toBe(
      `https://sam.gov/api/prod/fileextractservices/v1/api/download/Exclusions/Public%20V2/${NEWEST}?privacy=Public`,
    )
  })

  const wrong: readonly (readonly [what: string, reply: Answer, code: string])[] = [
    ["names no extract", file(page("README.txt", "../../SAM_Exclusions_Public_Extract_V2_26282.ZIP")), "NOT_DATA"],
    ["is of another shape", file('{"_embedded":[]}'), "NOT_DATA"],
    ["is a web page", file("<html></html>"), "NOT_DATA"],
    ["is endless", file("x".repeat(5_000_000)), "TOO_LARGE"],
    ["is gone", status(404), "NOT_FOUND"],
  ]
  test.each(wrong)("a page that %s gives no plan", async (_what, reply, code) => {
    const requests = listed(reply, (network) => PLANS.US_SAM_EXCLUSIONS(input({ network })))
    await expect(requests).rejects.toMatchObject({ code })
  })

  test("with a key are requested for today and yesterday in Washington, and the key is never stored", async () => {
    const names = async (now: number) =>
      (await PLANS.US_SAM_EXCLUSIONS(input({ now, samKey: "k3y" }))).sets.flat().map(({ name }) => name.slice(-9, -4))
    expect(await names(NOW)).toEqual(["26324", "26323"])
    expect(await names(Date.UTC(2026, 0, 1) + 4 * HOUR)).toEqual(["25365", "25364"])
    expect(await names(Date.UTC(2024, 11, 31) + DAY / 2)).toEqual(["24366", "24365"])
    const { sets } = await PLANS.US_SAM_EXCLUSIONS(input({ samKey: "k3y" }))
    for (const { url } of sets.flat()) {
      expect(url.searchParams.get("api_key")).toBe("k3y")
      expect(keptUrl(url)).not.toContain("k3y")
      expect(keptUrl(url)).toContain("fileName=SAM_Exclusions")
    }
  })
})

describe("a plan of a register", () => {
  test.each([
    ["GLEIF_LEI", "goldencopy.gleif.org", "zip"],
    ["US_SEC_EDGAR", "www.sec.gov", "json"],
  ] as const)("%s is one file of %s, over https and within limits", async (id, host, kind) => {
    const { sets, news } = await PLANS[id](input())
    const [file] = sets.flat()
    expect([sets.flat().length, news, file?.kind]).toEqual([1, null, kind])
    expect([file?.url.protocol, file?.url.hostname]).toEqual(["https:", host])
    expect(file?.bytesMax).toBeGreaterThan(file?.bytesMin ?? Number.POSITIVE_INFINITY)
  })

  test("US_SAM_ENTITY is the newest month on SAM's page, in its public folder", async () => {
    const names = ["SAM_PUBLIC_UTF-8_MONTHLY_V2_20261004.ZIP", "SAM_PUBLIC_UTF-8_MONTHLY_V2_20261101.ZIP", NEWEST]
    const plan = await listed(file(page(...names)), (network) => PLANS.US_SAM_ENTITY(input({ network })))
    const [only] = plan.sets.flat()
    expect([plan.sets.flat().length, only?.name]).toEqual([1, "SAM_PUBLIC_UTF-8_MONTHLY_V2_20261101.ZIP"])
    expect(only?.url.href).toBe(
      "https://sam.gov/api/prod/fileextractservices/v1/api/download/Entity%20Registration/Public%20V2/SAM_PUBLIC_UTF-8_MONTHLY_V2_20261101.ZIP?privacy=Public",
    )
  })

  test.each(REGISTER_IDS.filter((id) => id !== "UK_COMPANIES_HOUSE"))(
    "of %s uses only the mirror if one is set",
    async (id) => {
      const { sets, news } = await PLANS[id](input({ mirror: "http://mirror.example.test:8080/lists" }))
      expect([sets.flat().length, news]).toEqual([1, null])
      for (const { name, url } of sets.flat())
        expect(url.href).toBe(`http://mirror.example.test:8080/lists/${id}/${name}`)
    },
  )
})
