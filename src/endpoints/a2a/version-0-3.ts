/**
 * Clients of protocol 0.3, which names methods, roles and parts in other words. They are served like those of 1.0. The card declares 1.0 alone,
 * so only a client that was given this address comes here.
 */
import type { Members } from "./message-order.ts"

const CURRENT: ReadonlyMap<string, string> = new Map([
  ["message/send", "SendMessage"],
  ["message/stream", "SendStreamingMessage"],
  ["tasks/get", "GetTask"],
  ["tasks/cancel", "CancelTask"],
  ["tasks/resubscribe", "SubscribeToTask"],
  ["tasks/pushNotificationConfig/set", "CreateTaskPushNotificationConfig"],
  ["tasks/pushNotificationConfig/get", "GetTaskPushNotificationConfig"],
  ["tasks/pushNotificationConfig/list", "ListTaskPushNotificationConfigs"],
  ["tasks/pushNotificationConfig/delete", "DeleteTaskPushNotificationConfig"],
  ["agent/getAuthenticatedExtendedCard", "GetExtendedAgentCard"],
])

/** The method's name in 1.0; null unless it is a method of 0.3 and the version is absent or 0.3. */
export function currentMethod(method: string, version: string | null): string | null {
  const isOlder = version === null || version === "" || /^0\.3(\.\d+)?$/.test(version)
  return isOlder ? (CURRENT.get(method) ?? null) : null
}

/** The parameters of `message/send` as those of `SendMessage`. Parts have the same members, and `kind` besides. */
export function currentParams(params: Members): Members {
  const { message } = params
  if (typeof message !== "object" || message === null) return params
  const { role, ...others } = message as Members
  return { ...params, message: { ...others, role: role === "user" ? "ROLE_USER" : role } }
}
