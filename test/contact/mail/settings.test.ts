/** The settings of mail: all are needed, and each fault is named without its value. */
import { describe, expect, test } from "bun:test"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { smtpTarget } from "../../../src/contact/mail/mail-settings.ts"
import { configFaults } from "../../../src/server/config-rules.ts"
import { freshDirectory } from "../../fixtures/directories.ts"
import { defaults } from "../../fixtures/service.ts"
import { mailSettingsOf } from "./mail-settings.ts"

describe("with mail = smtp", () => {
  test("complete settings have no fault, and without mail none is read", () => {
    using fresh = freshDirectory()
    expect(configFaults(defaults(mailSettingsOf(fresh.path, 25)), null)).toEqual([])
    expect(configFaults(defaults({ smtp_url_file: "/nonexistent" }), null)).toEqual([])
  })

  test("every missing one is a fault", () => {
    const faults = configFaults(defaults({ mail: "smtp" }), null)
    expect(faults.map((fault) => fault.split(" ")[0])).toEqual([
      "smtp_url_file",
      "mail_from",
      "mail_in_socket",
      "mail_authserv_id",
    ])
  })

  test.each([
    ["mail_from", "Desk <desk@provider.example>"],
    ["mail_from", "desk"],
    ["mail_in_socket", "relative/mail.sock"],
    ["mail_in_socket", "/run/bizauth/"],
    ["mail_in_socket", `/${"x".repeat(107)}`],
    ["mail_authserv_id", "mx.provider.example; dmarc=pass"],
    ["smtp_url_file", "/nonexistent/smtp.url"],
  ])("%s = %s", (name, value) => {
    using fresh = freshDirectory()
    const faults = configFaults(defaults({ ...mailSettingsOf(fresh.path, 25), [name]: value }), null)
    expect(faults.length).toBe(1)
    expect(faults[0]).toStartWith(name)
  })

  test.each(["listen", "admin_listen"] as const)("the socket is not that of %s", (name) => {
    using fresh = freshDirectory()
    const settings = mailSettingsOf(fresh.path, 25)
    const behind = { base_url: "https://svc.example", trusted_proxies: "unix:" }
    const taken = { ...settings, ...behind, [name]: `unix:${settings.mail_in_socket}` }
    expect(configFaults(defaults(taken), null)).toEqual([
      `mail_in_socket and ${name} are both ${settings.mail_in_socket}: take another path`,
    ])
  })

  test("a URL file that others may read is refused, and its content is not repeated", () => {
    using fresh = freshDirectory()
    const settings = mailSettingsOf(fresh.path, 25)
    const open = join(fresh.path, "open.url")
    writeFileSync(open, "smtp://user:secret@host.example", { mode: 0o644 })
    expect(configFaults(defaults({ ...settings, smtp_url_file: open }), null)[0]).toContain("open to other users")
    const wrong = join(fresh.path, "wrong.url")
    writeFileSync(wrong, "http://user:secret@host.example", { mode: 0o600 })
    const [fault = ""] = configFaults(defaults({ ...settings, smtp_url_file: wrong }), null)
    expect(fault).toStartWith("smtp_url_file must hold one URL")
    expect(fault).not.toContain("secret")
  })
})

describe("the URL of the SMTP server", () => {
  const base = { isTls: false, needsStartTls: true, credentials: null }
  test.each([
    ["smtp://mail.example", { ...base, host: "mail.example", port: 587 }],
    ["smtps://mail.example\n", { ...base, host: "mail.example", port: 465, isTls: true, needsStartTls: false }],
    ["smtp://127.0.0.1:25", { ...base, host: "127.0.0.1", port: 25, needsStartTls: false }],
    ["smtp://[::1]:25/", { ...base, host: "::1", port: 25, needsStartTls: false }],
    [
      "smtps://u%40x:p%3A%2F@mail.example:2465",
      {
        isTls: true,
        needsStartTls: false,
        host: "mail.example",
        port: 2465,
        credentials: { user: "u@x", pass: "p:/" },
      },
    ],
    ["http://mail.example", null],
    ["smtp://user@mail.example", null],
    ["smtp://mail.example/path", null],
    ["smtp://mail.example?tls=no", null],
    ["smtp://u:%zz@mail.example", null],
    ["mail.example:25", null],
    ["", null],
  ])("%j", (url, expected) => {
    expect(smtpTarget(url)).toEqual(expected)
  })
})
