import { ApiError } from './auction-api.js'

const byId = (id) => document.getElementById(id)

/**
 * The dialog that asks for the amount of a bid. It closes when the bid is placed, and otherwise shows the error.
 *
 * @returns a function that opens it for a lot, with a money format and a function that places the bid
 */
export function createBidDialog() {
  const [dialog, form, amount, error] = ['bid', 'bid-form', 'amount', 'bid-error'].map(byId)
  let place

  byId('bid-cancel').addEventListener('click', () => dialog.close())
  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    error.textContent = ''
    if (!amount.validity.valid) {
      error.textContent = amount.validationMessage
      amount.focus()
      return
    }
    try {
      await place(amount.value)
      dialog.close()
    } catch (failure) {
      error.textContent =
        failure instanceof ApiError ? failure.message : 'The server did not respond. Try again.'
    }
  })

  return (lot, money, placeAmount) => {
    place = placeAmount
    error.textContent = ''
    byId('bid-title').textContent = `${lot.lot}: ${lot.name}`
    byId('bid-hint').textContent = `At least ${money(lot.minimumNextBid)}.`
    amount.min = lot.minimumNextBid
    amount.value = lot.minimumNextBid
    dialog.showModal()
    amount.focus()
    amount.select()
  }
}
