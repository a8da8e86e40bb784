import type { Random } from './random.js'

const SUBJECTS = [
  'The evening',
  'Every bid',
  'Our team of volunteers',
  'This package',
  'The donor',
  'A private guide',
  'The children’s ward',
  'Your table',
  'The committee',
  'A friend of the house',
  'The new wing',
  'Each guest',
]
const VERBS = [
  'supports',
  'includes',
  'brings together',
  'opens the door to',
  'makes room for',
  'is dedicated to',
  'celebrates',
  'pays for',
  'comes with',
  'looks forward to',
]
const OBJECTS = [
  'two nights by the lake with breakfast',
  'a tasting menu with matching wines',
  'families who need a place to stay',
  'a guided walk through the old town',
  'specialist nurses in every county',
  'music lessons for forty pupils',
  'a signed print, framed and numbered',
  'research that no one else would fund',
  'an afternoon at the winery',
  'dinner for six “chez vous”',
  'a round of golf for four players',
  'the people who made this possible',
]
const ENDINGS = [
  'this year',
  'all year round',
  'at no cost to the families',
  'subject to availability',
  'on a date of your choice',
  'from March to November',
  'with our warmest thanks',
  'for the second time',
  'and a little more',
  'in your name',
]

export function sentence(random: Random): string {
  return `${random.pick(SUBJECTS)} ${random.pick(VERBS)} ${random.pick(OBJECTS)} ${random.pick(ENDINGS)}.`
}

/** Returns about `length` characters, in paragraphs of five sentences. */
export function prose(random: Random, length: number): string {
  let text = sentence(random)
  for (let count = 1; text.length + 60 < length; count++) {
    text += `${count % 5 === 0 ? '\n\n' : ' '}${sentence(random)}`
  }
  return text
}

export const FIRST_NAMES = [
  'Aoife',
  'Liam',
  'Niamh',
  'Conor',
  'Saoirse',
  'Maja',
  'Jörg',
  'Chloé',
  'Søren',
  'Inés',
  'Kwame',
  'Priya',
  'Yuki',
  'Omar',
  'Greta',
  'Mateo',
  'Zoë',
  'Tadhg',
  'Ruth',
  'Emeka',
] as const
export const LAST_NAMES = [
  'Byrne',
  'O’Sullivan',
  'Murphy',
  'Nowak',
  'Müller',
  'Lefèvre',
  'Sørensen',
  'García',
  'Mensah',
  'Sharma',
  'Tanaka',
  'Haddad',
  'Lindqvist',
  'Rossi',
  'Walsh',
  'Doyle',
] as const
export const CITIES = ['Dublin', 'Cork', 'Galway', 'London', 'Kraków', 'Malmö', 'Lyon'] as const
