import { expect, test } from "bun:test"
import fc from "fast-check"
import { Html, html, inlineScript } from "../../src/pages/html.ts"

test("a value appears as text in any place, never as markup", () => {
  const hostile = `"><img src=x onerror=1>'&`
  expect(html`<p title="${hostile}">${hostile}</p>`.text).toBe(
    '<p title="&quot;&gt;&lt;img src=x onerror=1&gt;&#39;&amp;">&quot;&gt;&lt;img src=x onerror=1&gt;&#39;&amp;</p>',
  )
})

test("HTML made by the tag is inserted unchanged, one or many", () => {
  const item = (name: string) => html`<li>${name}</li>`
  expect(html`<ul>${["<a>", "b"].map(item)}</ul>${item("c")}`.text).toBe(
    "<ul><li>&lt;a&gt;</li><li>b</li></ul><li>c</li>",
  )
})

test("only the tag makes markup", () => {
  expect(() => new Html(Symbol("html") as never, "<script>")).toThrow(TypeError)
  const disguised = { text: "<script>" } as unknown as Html
  expect(() => html`${disguised}`.text).toThrow()
})

test("a script is inserted unchanged, unless HTML would end or change it", () => {
  const source = "if (1 < 2 && '</p>') x()"
  expect(html`${inlineScript(source)}`.text).toBe(`<script>${source}</script>`)
  for (const bad of ["</script", "</SCRIPT>", "<!--", "a\rb", "a\0b"]) {
    expect(() => inlineScript(`x = 1 ${bad}`)).toThrow(TypeError)
  }
})

test("no character of any text has a meaning to an HTML parser, and the text can be read back", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (value) => {
      const inner = html`${value}`.text
      expect(inner).not.toMatch(/[<>"']|&(?!(amp|lt|gt|quot|#39);)/)
      const back = inner
        .replaceAll("&lt;", "<")
        .replaceAll("&gt;", ">")
        .replaceAll("&quot;", '"')
        .replaceAll("&#39;", "'")
        .replaceAll("&amp;", "&")
      expect(back).toBe(value)
    }),
  )
})
