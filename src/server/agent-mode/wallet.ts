import type { ProofWalletDeps } from "../../agent-mode/wallet/routes.ts"
import { verifierKeyOf } from "../../core/sign-checkpoint.ts"
import { ANSWER_RULES } from "../../products/products.ts"
import type { Service } from "../service.ts"
import { verifyPassport } from "./passport-verifier.ts"

/** What the proof wallet needs of a running service. It is here because it hands in the rules of the products, a layer above agent mode. */
export function walletDeps(service: Service): ProofWalletDeps {
  const { shell, store, machine, keys, environment, config, baseUrl } = service
  const origins = [service.logOrigin, ...service.earlierOrigins.map(({ origin }) => origin)]
  return {
    shell,
    store,
    machine,
    environment,
    issuer: config.issuer_id,
    baseUrl: () => baseUrl,
    findKey: (keyId) => keys.find(keyId),
    refreshKeys: () => keys.refresh(),
    logKeys: () => origins.flatMap((origin) => keys.checkpointKeys().map((x) => verifierKeyOf(origin, x))),
    answerRules: ANSWER_RULES,
    verifyPassport,
  }
}
