import { readdirSync, readFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import {
  type ArgumentsHost,
  type CallHandler,
  Catch,
  type ExceptionFilter,
  type ExecutionContext,
  type INestApplication,
  type NestInterceptor,
  type PipeTransform,
  VersioningType,
} from '@nestjs/common'
import { APP_FILTER, APP_INTERCEPTOR, APP_PIPE } from '@nestjs/core'
import { ModelCacheInspectorModule } from '@model-cache/inspector'
import { map } from 'rxjs'
import { type InspectedApplication, platforms, useInspectedApplications } from './inspected-application.js'

const PAGE = join(import.meta.dirname, '../../../libs/inspector/src/page')
const world = useInspectedApplications()
const api = '/shop/inspector/api/v1'

/** Gives every result another form, as applications do. */
class Wrap implements NestInterceptor {
  intercept(_context: ExecutionContext, next: CallHandler) {
    return next.handle().pipe(map((data: unknown) => ({ data })))
  }
}

/** Gives every error another form. */
@Catch()
class Reformat implements ExceptionFilter {
  catch(_error: unknown, host: ArgumentsHost): void {
    const response = host.switchToHttp().getResponse<{ status(code: number): { send(body: string): void } }>()
    response.status(418).send('reformatted')
  }
}

/** Refuses every parameter. */
class Refuse implements PipeTransform {
  transform(): never {
    throw new Error('refused')
  }
}

/** Headers as helmet and others set them. */
function setHeaders(app: INestApplication): void {
  const middleware = (
    _request: unknown,
    response: { setHeader(name: string, value: string): void },
    next: () => void,
  ) => {
    response.setHeader('content-security-policy', "default-src * 'unsafe-inline'")
    response.setHeader('cache-control', 'public, max-age=3600')
    response.setHeader('cross-origin-resource-policy', 'cross-origin')
    next()
  }
  app.use(middleware)
}

describe.each(platforms)(
  'the inspector on %s, in an application with a prefix, versions and global enhancers',
  (platform) => {
    let app: InspectedApplication

    beforeAll(async () => {
      await world.prisma.guestUser.create({ data: { id: platform, name: 'Ada', email: 'ada@example.org' } })
      app = await world.start({
        platform,
        inspector: { actions: ['invalidate'] },
        providers: [
          { provide: APP_INTERCEPTOR, useClass: Wrap },
          { provide: APP_FILTER, useClass: Reformat },
          { provide: APP_PIPE, useClass: Refuse },
        ],
        configure: (nest) => {
          nest.setGlobalPrefix('shop')
          nest.enableVersioning({ type: VersioningType.URI, defaultVersion: '1' })
          nest.enableCors({ origin: true, credentials: true })
          setHeaders(nest)
        },
      })
    })
    afterAll(() => app.close())

    it.each(['/shop/inspector', '/shop/inspector/', '/shop/inspector?a=/'])(
      'serves the page and its files at %s',
      async (path) => {
        const page = await app.get(path)
        expect(page.status).toBe(200)
        expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
        const urls = [...page.text.matchAll(/(?:src|href)="([^"#]+)"/g)].map(([, url]) => url!)
        expect(urls).not.toEqual([])
        for (const url of urls) {
          expect(url).toMatch(/^\.\//)
          const file = await app.get(new URL(url, `${app.url}${path}`).pathname)
          expect(file.status).toBe(200)
          expect(file.headers.get('content-type')).toMatch(
            /^(text\/(javascript|css)|image\/svg\+xml); charset=utf-8$/,
          )
        }
      },
    )

    it('serves every file of the page, and no other', async () => {
      const files = readdirSync(PAGE, { recursive: true, encoding: 'utf8' })
      const served = files.filter((name) => /\.(js|css|svg)$/.test(name))
      expect(served).not.toEqual([])
      for (const name of served) {
        const { text } = await app.get(`/shop/inspector/assets/${name}`)
        expect(text).toBe(readFileSync(join(PAGE, name), 'utf8'))
      }
    })

    it('serves the charts, and answers 304 for a file that the browser has', async () => {
      const file = '/shop/inspector/assets/uPlot.esm.js'
      const { headers, status, text } = await app.get(file)
      expect(status).toBe(200)
      expect(text).toContain('uPlot')
      expect(headers.get('cache-control')).toBe('no-cache')
      const known = await app.get(file, { 'if-none-match': `W/"other", ${headers.get('etag')}` })
      expect([known.status, known.text]).toEqual([304, ''])
      expect((await app.get(file, { 'if-none-match': '"other"' })).status).toBe(200)
    })

    it('answers the API in its own form', async () => {
      const [caches, processes, row, entry] = await Promise.all(
        [
          'caches',
          'processes',
          `row?cache=GuestUser&id=${platform}`,
          'entry?cache=GuestUser&lookup=named&key=Ada',
        ].map((path) => app.get(`${api}/${path}`)),
      )
      expect(caches!.json).toMatchObject({
        caches: [{ name: 'GuestUser', root: null, actions: ['invalidate'] }],
      })
      expect(processes!.json.processes).toMatchObject([{ pid: process.pid }])
      expect(row!.json).toMatchObject({ id: platform, comparison: { exists: true } })
      expect(entry!.json).toMatchObject({ lookup: 'named', lookupKey: 'Ada', ids: null })
      const types = [caches, processes, row, entry].map((answer) => answer!.headers.get('content-type'))
      expect(new Set(types)).toEqual(new Set(['application/json; charset=utf-8']))
    })

    it.each([
      ['row?cache=GuestUser', 400, 'missing_parameter'],
      ['row?id=a', 400, 'missing_parameter'],
      ['row?cache=GuestUser&id=a&id=b', 400, 'invalid_parameter'],
      ['row?cache=GuestUser&id=<1,001 characters>', 400, 'invalid_parameter'],
      ['entry?cache=GuestUser&lookup=named&key=<1,001 characters>', 400, 'invalid_parameter'],
      ['entry?cache=GuestUser&lookup=named', 400, 'missing_parameter'],
      ['entry?cache=GuestUser&lookup=other&key=a', 404, 'unknown_lookup'],
      ['row?cache=Other&id=a', 404, 'unknown_cache'],
      ['row?cache=__proto__&id=a', 404, 'unknown_cache'],
      ['row?cache=GuestUser&root=billing&id=a', 404, 'unknown_cache'],
      ['nothing', 404, 'not_found'],
      ['', 404, 'not_found'],
    ])('answers errors in its own form: %s', async (path, status, code) => {
      const answer = await app.get(`${api}/${path.replace('<1,001 characters>', 'a'.repeat(1_001))}`)
      expect(answer.json).toEqual({ error: { code, message: expect.any(String) } })
      expect(answer.status).toBe(status)
    })

    it("names the application's caches when it refuses one", async () => {
      const { json } = await app.get(`${api}/row?cache=GuestUsers&id=a`)
      expect(json.error.message).toContain('it has GuestUser.')
    })

    it('takes actions with and without a body', async () => {
      const action = { 'x-model-cache-inspector': '1' }
      const target = `${api}/invalidate?cache=GuestUser&id=${platform}`
      for (const headers of [action, { ...action, 'content-type': 'application/x-www-form-urlencoded' }]) {
        const { json, status } = await app.post(target, headers)
        expect(status).toBe(200)
        expect(json).toMatchObject({
          cache: { name: 'GuestUser', root: null },
          target: { id: platform },
          isPending: false,
        })
      }
      for (const query of ['', '&id=a&all=true', '&id=a&lookup=named&key=b', '&all=1', '&lookup=named']) {
        const { json } = await app.post(`${api}/invalidate?cache=GuestUser${query}`)
        expect(json.error.code).toBe('missing_parameter')
      }
    })

    it('sends its headers with every response, instead of those of the application', async () => {
      const responses = await Promise.all([
        app.get('/shop/inspector'),
        app.get('/shop/inspector/assets/uPlot.min.css'),
        app.get('/shop/inspector/nothing'),
        app.get(`${api}/row?cache=Other&id=a`),
        app.get(`${api}/caches`, { 'sec-fetch-site': 'cross-site' }),
        app.post(`${api}/invalidate`),
      ])
      expect(responses.map(({ status }) => status)).toEqual([200, 200, 404, 404, 403, 400])
      for (const [i, { headers }] of responses.entries()) {
        expect(Object.fromEntries(headers)).toMatchObject({
          'content-security-policy':
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
            "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
          'x-content-type-options': 'nosniff',
          'referrer-policy': 'no-referrer',
          'cross-origin-resource-policy': 'same-origin',
          'cross-origin-opener-policy': 'same-origin',
          'cache-control': i === 1 ? 'no-cache' : 'no-store',
        })
      }
    })

    it.each([
      '../page.controller.js',
      '..%2fresponder.js',
      '%2e%2e/responder.js',
      'index.html',
      '',
      'constructor',
      '__proto__',
      '%00',
    ])('reaches no file but those of the page: assets/%s', async (name) => {
      // Not fetch, which resolves dots itself.
      const { promise, resolve, reject } = Promise.withResolvers<number>()
      const { port } = new URL(app.url)
      request({ port, host: '127.0.0.1', path: `/shop/inspector/assets/${name}` }, (response) => {
        response.resume()
        resolve(response.statusCode!)
      })
        .on('error', reject)
        .end()
      expect([404, 400]).toContain(await promise)
    })
  },
)

describe.each(platforms)('an inspector on %s', (platform) => {
  it('is mounted at its path, twice in one application and in two of one process', async () => {
    const [one, other] = await Promise.all([
      world.start({
        platform,
        inspector: { path: '/admin/cache/' },
        imports: [
          ModelCacheInspectorModule.forRoot({ path: 'support', guards: [{ canActivate: () => false }] }),
        ],
        configure: (nest) => nest.enableVersioning({ type: VersioningType.HEADER, header: 'x-version' }),
      }),
      world.start({ platform: platforms.find((name) => name !== platform)! }),
    ])
    expect((await one.get('/admin/cache')).text).toContain('"./cache/assets/')
    expect((await one.get('/admin/cache/')).text).toContain('"./assets/')
    expect((await one.get('/inspector')).status).toBe(404)
    expect((await one.get('/support')).status).toBe(403)
    expect((await other.get('/inspector')).status).toBe(200)
    expect((await other.get('/inspector/')).status).toBe(200)
  })
})
