/** `GET /v1/agent/preflight/{cnpj}`. Reads no store and no source, and logs nothing of the number. */
import type { CnpjPreflight } from "../../schemas/discovery/preflight.ts"
import { preflightCnpj } from "../../schemas/discovery/preflight.ts"
import type { Operation } from "../../schemas/operation.ts"
import { ServiceError } from "../base/errors.ts"
import { canonicalize } from "../core/canonical-json.ts"
import { type Cnpj, type CnpjFault, checkCnpj } from "../core/cnpj.ts"
import { serve } from "../http/serve.ts"
import type { Shell } from "../http/shell.ts"
import { soldOperations } from "./sold.ts"

/** `operations` is called on first use, when every route is registered. */
export function cnpjPreflightRoute(shell: Shell, operations: () => readonly Operation[]) {
  let printed: ((cnpj: Cnpj) => string) | undefined
  return serve(shell, preflightCnpj, ({ params }) => {
    const cnpj = requireCnpj(params["cnpj"] ?? "")
    printed ??= preflightPrinter(shell.baseUrl(), operations())
    return { status: 200, body: printed(cnpj) }
  })
}

const FAULTS: Readonly<
  Record<CnpjFault, { readonly code: string; readonly detail: string; readonly expected: string }>
> = {
  SHAPE: {
    code: "CNPJ_SHAPE_INVALID",
    detail: "The text is not a CNPJ. Send 14 characters, or the punctuated form with its / as %2F.",
    expected: "12 characters 0-9 or A-Z, not all equal, and 2 digits; bare or as 12.ABC.345/01DE-35",
  },
  CHECK_DIGITS: {
    code: "CNPJ_CHECK_DIGITS_INVALID",
    detail: "The two check digits do not belong to the twelve characters. Compare the number with its document.",
    expected: "the two digits that modulo 11 gives for the twelve characters before them",
  },
}

function requireCnpj(text: string): Cnpj {
  const checked = checkCnpj(text)
  if (typeof checked === "object") return checked
  const { code, detail, expected } = FAULTS[checked]
  throw new ServiceError("IDENTIFIER_INVALID", detail, {
    reasonCodes: [code],
    errors: [{ pointer: "path:cnpj", code, expected }],
  })
}

/** Placeholder of the number in the printed text. No other text of the response contains it. */
const PLACE = "{cnpj}"

/** Prints the answer once for each format. Each call then only fills in the number. */
function preflightPrinter(baseUrl: string, operations: readonly Operation[]): (cnpj: Cnpj) => string {
  const around = (format: Cnpj["format"]) => canonicalize(cnpjPreflight(baseUrl, operations, format)).split(PLACE)
  const parts = { NUMERIC: around("NUMERIC"), ALPHANUMERIC: around("ALPHANUMERIC") }
  return ({ value, format }) => parts[format].join(value)
}

function cnpjPreflight(baseUrl: string, operations: readonly Operation[], format: Cnpj["format"]): CnpjPreflight {
  return {
    schema_version: "1.0.0",
    identifier: { scheme: "br-cnpj", value: PLACE, format, check_digits_valid: true },
    supported: false,
    coverage: { country: "BR", supported: false, limitations: ["NO_BRAZIL_SOURCE"] },
    outcome: "UNSUPPORTED",
    maximum_price: null,
    estimate: { charge: "0" },
    alternatives: soldOperations(operations).map(({ id, method, path, intent, product, price }) => ({
      intent: intent?.name ?? null,
      product_id: product.id,
      jurisdiction: product.jurisdiction,
      coverage: product.coverage,
      operation_id: id,
      method,
      uri: baseUrl + path,
      price: { amount: price.amount, asset: price.asset },
    })),
    effects: {
      external_source_calls: 0,
      charged: false,
      decision_created: false,
      delivery_created: false,
      reservation_created: false,
    },
    limitations: ["NO_BRAZIL_SOURCE", "CHECK_DIGITS_DO_NOT_PROVE_EXISTENCE"],
    next_machine_action: "STOP_AND_SEEK_ALTERNATIVE",
  }
}
