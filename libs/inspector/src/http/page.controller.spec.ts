import { recordingAdapter, type Sent } from '../../../../test/support/recording-adapter.js'
import { inspectorPageFiles } from './page-files.js'
import { InspectorPage } from './page.controller.js'
import { Responder } from './responder.js'

function request(method: 'page' | 'file', url: string, { path = 'admin/inspector', known = '' } = {}): Sent {
  const page = new InspectorPage(new Responder(recordingAdapter()), { path, guards: [], imports: [] })
  const response: Sent = { headers: {} }
  const headers = known === '' ? {} : { 'if-none-match': known }
  page[method]({ method: 'GET', headers, url } as Parameters<InspectorPage['page']>[0], response)
  return response
}

const html = 'text/html; charset=utf-8'

describe('the page', () => {
  it.each([
    ['page', '/shop/admin/inspector', './inspector/'],
    ['page', '/shop/admin/inspector?a=/', './inspector/'],
    ['page', '/shop/admin/inspector/', './'],
    ['file', '/shop/admin/inspector/', './'],
  ] as const)('as a %s at %s has URLs that start with %s', (method, url, base) => {
    const { body, headers, status } = request(method, url)
    expect([status, headers['content-type']]).toEqual([200, html])
    const urls = [...body!.matchAll(/(?:src|href)="([^"#]+)"/g)].map(([, found]) => found!)
    expect(urls).not.toEqual([])
    expect(urls.filter((found) => !found.startsWith(`${base}assets/`))).toEqual([])
  })

  it('may have a path of one part', () => {
    expect(request('page', '/inspector', { path: 'inspector' }).body).toContain('"./inspector/assets/')
  })
})

describe('a file of the page', () => {
  it.each([
    ['main.js', 'text/javascript; charset=utf-8'],
    ['uPlot.min.css', 'text/css; charset=utf-8'],
    ['icon.svg', 'image/svg+xml; charset=utf-8'],
  ])('%s has the type %s, and is checked again', (name, type) => {
    const { body, headers, status } = request('file', `/admin/inspector/assets/${name}`)
    expect([status, headers['content-type'], headers['cache-control']]).toEqual([200, type, 'no-cache'])
    expect(body).toBe(inspectorPageFiles.get(name)!.text)
    expect(headers.etag).toMatch(/^"[\w-]{43}"$/)
  })

  it('is not sent again to a browser that has it', () => {
    const url = '/admin/inspector/assets/main.js'
    const { etag } = request('file', url).headers
    const known = request('file', url, { known: `W/"other", ${etag}` })
    expect([known.status, known.body, known.headers.etag]).toEqual([304, '', etag])
    expect(request('file', url, { known: '"other"' })).toMatchObject({
      status: 200,
      body: expect.stringMatching(/./),
    })
  })

  it('has a tag of its own', () => {
    const tags = [...inspectorPageFiles.values()].map(({ etag }) => etag)
    expect(new Set(tags).size).toBe(inspectorPageFiles.size)
  })

  it.each([
    '/admin/inspector/assets/other.js',
    '/admin/inspector/assets/',
    '/admin/inspector/main.js',
    '/admin/inspector/inspector/a',
  ])('is none at %s', (url) => {
    const { body, status } = request('file', url)
    expect([status, JSON.parse(body!).error.code]).toEqual([404, 'not_found'])
  })
})
