import { ApiError } from './auction-api.js'

const byId = (id) => document.getElementById(id)

/**
 * Asks for an amount.
 *
 * @returns opens the dialog for a lot, with what shows money and what places the amount; it closes when that has been done,
 * and shows why when it has not
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
    } catch (refused) {
      error.textContent =
        refused instanceof ApiError ? refused.message : 'The server did not answer. Try again.'
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
