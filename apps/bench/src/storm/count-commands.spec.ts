import { countCommands } from './count-commands.ts'

describe('countCommands', () => {
  it('adds up the calls of all commands but its own', () => {
    const stats = [
      '# Commandstats',
      'cmdstat_get:calls=5350,usec=12,usec_per_call=0.01,rejected_calls=0,failed_calls=0',
      'cmdstat_client|setinfo:calls=2,usec=1,usec_per_call=0.5,rejected_calls=0,failed_calls=0',
      'cmdstat_info:calls=7,usec=1,usec_per_call=0.5,rejected_calls=0,failed_calls=0',
      'cmdstat_dbsize:calls=9,usec=1,usec_per_call=0.5,rejected_calls=0,failed_calls=0',
      '',
    ].join('\r\n')
    expect(countCommands(stats)).toBe(5352)
  })

  it('is zero for a server that has done nothing', () => {
    expect(countCommands('# Commandstats\r\n')).toBe(0)
  })
})
