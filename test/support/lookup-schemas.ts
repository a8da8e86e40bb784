/** Prisma schemas for the tests of lookups. */

/** Models with fields of all types. */
export const carSchema = (provider: string) => `
datasource db {
  provider = "${provider}"
}
enum Colour {
  RED
  BLUE @map("blue")
}
model Car {
  id       Int      @id
  plate    String   @unique
  vin      String?  @unique
  makerId  Int?
  colour   Colour
  price    Decimal?
  doors    BigInt
  sold     Boolean
  photo    Bytes?
  weight   Float
  extras   Json
  tags     String[]
  builtAt  DateTime
  secret   String   /// @cache(omit)
  maker    Maker?   @relation(fields: [makerId], references: [id])
  drivers  Driver[]
  passes   Pass[]
  @@unique([makerId, plate])
  @@unique([doors, sold], where: { sold: true })
}
model Maker {
  id   Int   @id
  cars Car[]
}
model Driver {
  code String @id @db.VarChar(8)
  cars Car[]
}
model Pass {
  carId Int
  zone  Int
  car   Car @relation(fields: [carId], references: [id])
  @@id([carId, zone])
}
`
/** A model with native types of PostgreSQL. */
export const nativeSchema = `
datasource db {
  provider = "postgresql"
}
model Native {
  id       String   @id @db.Uuid
  email    String   @db.Citext
  text     String   @db.Text
  short    String   @db.VarChar(9)
  char     String   @db.Char(9)
  bits     String   @db.Bit(4)
  xml      String   @db.Xml
  inet     String   @db.Inet
  money    Decimal  @db.Money
  decimal  Decimal  @db.Decimal(9, 2)
  time     DateTime @db.Time(3)
  day      DateTime @db.Date
  micros   DateTime @db.Timestamptz(6)
  default  DateTime @db.Timestamp
  millis   DateTime @db.Timestamptz(3)
  real     Float    @db.Real
  bytes    Bytes    @db.ByteA
  friends  Native[] @relation("Friends")
  friendOf Native[] @relation("Friends")
}
`
