/** In the client module in place of `schemas/us/mandate.ts`: the request's schema has the mandate's in it. */
import { DecisionRequest } from "../../../../schemas/us/payment-decision.ts"

export const BuyerMandate = DecisionRequest.properties.buyer_mandate
