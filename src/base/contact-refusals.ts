/** The refusals of contact: a part of the catalogue of all refusals. */
export const contactRefusals = {
  MAILBOX_INVALID: { status: 422, title: "reply_to is not one mailbox", next: "CORRECT_REQUEST" },
  EMAIL_TOKEN_NOT_ACCEPTED: {
    status: 409,
    title: "The token does not prove the mailbox for this body",
    next: "REQUEST_NEW_CHALLENGE",
  },
  EMAIL_CONTACT_DISABLED: {
    status: 503,
    title: "Contact by e-mail is off",
    next: "SEND_WITHOUT_REPLY_TO",
    retryable: true,
  },
} as const
