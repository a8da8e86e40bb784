import { Logger } from '@nestjs/common'
import { nestLog } from './nest-log.js'

it('leaves out the name of the library, which the log has before each line', () => {
  const lines: string[] = []
  const take = (message: string): void => void lines.push(message)
  const logger = Object.assign(new Logger('ModelCache'), { log: take, warn: take })
  const log = nestLog(logger)
  log.info('ModelCache: the catalogue has been read again.')
  log.warn('Valkey evicts keys.')
  expect(lines).toEqual(['The catalogue has been read again.', 'Valkey evicts keys.'])
})

it('throws nothing that the log of the application throws, as one does that has been closed', () => {
  const fail = (): never => {
    throw new Error('the worker has exited')
  }
  const log = nestLog(Object.assign(new Logger('ModelCache'), { log: fail, warn: fail }))
  for (const write of [log.info, log.warn]) expect(() => write('Valkey evicts keys.')).not.toThrow()
})
