/** As much of an element as a view of a row needs. */
class FakeElement {
  readonly attributes = new Map<string, string>()
  children: unknown[] = []
  textContent = ''
  click: () => void = () => {}

  setAttribute(name: string, value: string): void {
    this.attributes.set(name, value)
  }
  removeAttribute(name: string): void {
    this.attributes.delete(name)
  }
  append(...children: unknown[]): void {
    this.children.push(...children)
  }
  replaceChildren(...children: unknown[]): void {
    this.children = children
  }
  addEventListener(_: string, listener: () => void): void {
    this.click = listener
  }
}

const globals = globalThis as { document?: unknown }
beforeAll(() => void (globals.document = { createElement: () => new FakeElement() }))
afterAll(() => void delete globals.document)

it('shows the report that was asked for last, whichever answers first', async () => {
  const view = './page/views/report-view.js'
  const { createReportView } = (await import(view)) as {
    createReportView: (context: object, options: object) => { elements: readonly FakeElement[] }
  }
  const asked: PromiseWithResolvers<string>[] = []
  const { elements } = createReportView(
    {},
    {
      head: new FakeElement(),
      find: () => {
        const asking = Promise.withResolvers<string>()
        asked.push(asking)
        return asking.promise
      },
      show: (answer: string) => ({ answer, content: [] }),
    },
  )
  const [, answer, controls, content] = elements
  ;(controls!.children[0] as FakeElement).click()
  expect(asked).toHaveLength(2)
  asked[1]!.resolve('invalidated')
  await new Promise(setImmediate)
  expect(answer!.textContent).toBe('invalidated')
  asked[0]!.resolve('stored')
  await new Promise(setImmediate)
  expect(answer!.textContent).toBe('invalidated')
  expect(content!.attributes.has('aria-busy')).toBe(false)
})
