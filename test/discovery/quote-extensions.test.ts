import { describe, expect } from "bun:test"
import { declareDiscoveryExtension, validateDiscoveryExtension } from "@x402/extensions/bazaar"
import type { Operation } from "../../schemas/operation.ts"
import { PRODUCT_IDS } from "../../schemas/products.ts"
import { SIGNATURE_HEX_CHARACTERS_MAX } from "../../schemas/x402.ts"
import { operations } from "../../scripts/docs/operations.ts"
import { quoteExtensions } from "../../src/discovery/quote-extensions.ts"
import { soldOperations } from "../../src/discovery/sold.ts"
import { encodeHeader, PAYMENT_HEADER_CHARACTERS_MAX, readPaymentHeader } from "../../src/payments/payment-header.ts"
import { slowTests } from "../fixtures/slow-tests.ts"

const test = slowTests(import.meta.path)

type Bazaar = Parameters<typeof validateDiscoveryExtension>[0]
interface HttpInput {
  readonly body: Record<string, unknown>
  readonly headers?: Readonly<Record<string, string>>
}

const BASE_URL = "https://business-authorization.svc.example.com"
const rows = await operations()
const sold = soldOperations(rows)
const printedFor = quoteExtensions(() => rows)
const extensionsOf = (product: string) => JSON.parse(printedFor(product) ?? "{}") as Record<string, unknown>
const bazaarOf = (product: string) => extensionsOf(product)["bazaar"] as Bazaar
const inputOf = (product: string) => (bazaarOf(product) as unknown as { info: { input: HttpInput } }).info.input
const products = sold.map(({ product }) => product.id)

test("every product is there, and each has an extension that is printed once", () => {
  expect(products.toSorted()).toEqual(PRODUCT_IDS.toSorted())
  let reads = 0
  const once = quoteExtensions(() => {
    reads++
    return rows
  })
  for (const product of [...products, ...products]) once(product)
  expect(reads).toBe(products.length)
  for (const product of products) {
    expect(Object.keys(extensionsOf(product))).toEqual(["bazaar"])
  }
})

describe("the official checker", () => {
  test.each(products)("accepts the extension of %s", (product) => {
    expect(validateDiscoveryExtension(bazaarOf(product))).toEqual({ valid: true })
  })

  test("rejects one whose headers or body are not those of its schema", () => {
    const product = "gb.business.payment.authorize.v1"
    const changed = (members: object) => {
      const copy = JSON.parse(JSON.stringify(bazaarOf(product))) as { info: { input: object } }
      const input = JSON.parse(JSON.stringify({ ...copy.info.input, ...members })) as object
      return validateDiscoveryExtension({ ...copy, info: { ...copy.info, input } } as unknown as Bazaar).valid
    }
    expect(changed({})).toBe(true)
    expect(changed({ headers: undefined })).toBe(false)
    expect(changed({ body: "text" })).toBe(false)
    expect(changed({ method: "GET" })).toBe(false)
  })

  test("the schema is what the package itself declares, with the method, and the headers of the UK", () => {
    for (const product of products) {
      const { info, schema } = bazaarOf(product) as unknown as {
        info: { input: HttpInput }
        schema: { properties: { input: { properties: Record<string, unknown>; required: string[] } } }
      }
      const inputSchema = schema.properties.input.properties["body"] as Record<string, unknown>
      const declared = declareDiscoveryExtension({ bodyType: "json", input: info.input.body, inputSchema })
        .bazaar as unknown as { readonly schema: typeof schema }
      const own = schema.properties.input.properties
      const theirs = declared.schema.properties.input.properties
      const { headers, ...common } = own
      expect(Object.keys(common).toSorted()).toEqual(Object.keys(theirs).toSorted())
      expect(headers !== undefined).toBe(product.startsWith("gb."))
      expect(schema.properties.input.required.filter((name) => name !== "headers").toSorted()).toEqual(
        declared.schema.properties.input.required.toSorted(),
      )
    }
  })
})

test("the body is an empty object, and the schema says where its own schema and an example are", () => {
  for (const { product, path } of sold) {
    expect(inputOf(product.id).body).toEqual({})
    expect(JSON.stringify(bazaarOf(product.id))).toContain(`GET ${path}/schema; an example: GET ${path}/example`)
  }
})

test("the UK extensions name both headers, each with what its value repeats", () => {
  for (const product of products) {
    const { headers } = inputOf(product)
    const names = product.startsWith("gb.") ? ["Idempotency-Key", "X-CDO-Request-Body-Digest"] : []
    expect(Object.keys(headers ?? {})).toEqual(names)
    for (const value of Object.values(headers ?? {})) expect(value).toMatch(/body/)
  }
})

describe("size", () => {
  const accepted = {
    scheme: "exact",
    network: "eip155:8453",
    amount: "790000",
    asset: `0x${"a".repeat(40)}`,
    payTo: `0x${"b".repeat(40)}`,
    maxTimeoutSeconds: 300,
    extra: { name: "USD Coin", version: "2", quote: "q".repeat(300) },
  }
  const resource = (path: string) => ({
    url: BASE_URL + path,
    description: "d".repeat(80),
    mimeType: "application/json",
  })

  test.each(sold.map(({ product, path }) => [product.id, path] as const))(
    "the quote of %s is a header under 2.7 KB, and its echo with the longest signature is a readable payment",
    (product, path) => {
      const extensions = extensionsOf(product)
      const quote = encodeHeader({
        x402Version: 2,
        error: "e".repeat(60),
        resource: resource(path),
        accepts: [accepted],
        extensions,
      })
      expect(quote.length).toBeLessThan(2700)
      const payment = encodeHeader({
        x402Version: 2,
        resource: resource(path),
        accepted,
        extensions,
        payload: {
          signature: `0x${"c".repeat(SIGNATURE_HEX_CHARACTERS_MAX)}`,
          authorization: {
            from: `0x${"1".repeat(40)}`,
            to: accepted.payTo,
            value: accepted.amount,
            validAfter: "1790000000",
            validBefore: "1790000300",
            nonce: `0x${"2".repeat(64)}`,
          },
        },
      })
      // All headers together may have 16 KB. The others of a purchase need less than 800 bytes.
      expect(payment.length).toBeLessThan(PAYMENT_HEADER_CHARACTERS_MAX - 800)
      expect(readPaymentHeader(new Headers({ "payment-signature": payment }))).toMatchObject({
        payload: { extensions },
      })
    },
  )
})

test("a product whose route is not served has no extension, and a new row has one with no other change", () => {
  const [first] = sold
  if (!first) throw new Error("no product")
  const added: Operation = { ...first, id: "toy", path: "/v1/us/toy", product: { ...first.product, id: "us.toy.v1" } }
  const of = quoteExtensions(() => [added])
  expect(of(first.product.id)).toBeUndefined()
  expect(of("us.toy.v1")).toContain("GET /v1/us/toy/schema")
})
