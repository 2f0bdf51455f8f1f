/** For who is no owner: whom to ask for what is done here, such as `say who is in`. */
export const AskOwner = ({ to }: { to: string }) => <>To {to}, ask an owner of the account.</>;
