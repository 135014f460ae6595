"""Folded words that say nothing about a layer: what people greet, ask and command with."""

_GERMAN = """
    abend aendere aendern alle ausblenden ausschalten bald beide bist blende bravo dafuer danach
    dank danke dann einfach einschalten entferne entfernen fahre fahren fuege ganz gar gehen geht
    gestern gib grueezi gruezi guete gueten gut gute guten hallo halte helfe helfen helft herzlichen
    heute heutige hey hi hilf hilfe hinzu hinzufuegen hoi irgendwas irgendwelche irgendwo loesche
    loeschen mach mache machen merci monat naechste naechsten naechster naechstes nochmal nochmals
    oeffne oeffnen ok okay raus rein sali salue salueti schalte schalten schiebe schliesse
    schliessen schoen schoene schoenen stell stelle stellen suchen super tschau tschuess tschuss
    uebermorgen verschiebe verschieben vielen vielmal vorher wechseln wechsle weiter wieder woche
    wochen wuensche wuerde wunderbar ziehe zoom zoome zoomen zurueck zusammen
"""
_FRENCH = """
    a affiche afficher affichez ai aide aider ajoute ajouter alors au aujourd aussi autour aux avec
    beaucoup bien bonjour bonne bonsoir c ca ce cela ces cet cette charge charger chez comment d
    dans de des dois donne du elle elles en est et etes etre faire fais fait faut grand hui il ils j
    je jour l la le les leur ma mais me merci mes met mets mettre moi mon montre montrer n ne nos
    notre nous on ou par peut peux plait plus pour pourrais pourriez pres puis qu quand que quel
    quelle quelles quels qui quoi revoir s sa salut se ses si soir son sont sur t ta te tes toi ton
    tous tout toute toutes trouve trouver tu un une va vers veux visualise voila voir vois voudrais
    vous y
"""
_ITALIAN = """
    accendi ad aggiungi agli ai aiutami aiuto al alla alle allo anche apri arrivederci attorno bene
    buona buonasera buongiorno buono c carica caricare che chi ci ciao come con cosa cui da dagli
    dai dal dalla dalle davanti degli dei del della delle dello di dove e ed era fai fammi fare
    favore giorno gli grazie ho i il in io la le lei li lo loro lui mette metti mi mia mie miei
    mille mio molto mostra mostrami mostrare ne negli nei nel nella nelle noi o ogni per piacere piu
    posso potresti prego puoi qua qual quale quali quando quanto quella quello questa queste questi
    questo qui scusa se sei si siamo sono sta stai sto su sua sue sugli sui sul sulla sulle suo ti
    trova trovo tu tua tuo tutta tutte tutti tutto un una uno va vai vedere vi vicino visualizza
    voglio voi vorrei
"""
_ENGLISH = """
    a about add all am an and any are around at be been by bye can could did display do does find
    for from get give go good goodbye got had has have hello help here hey hi how i if is it its
    just let like load located look lot many may me more morning much my near need next now of on
    open or our please put really remove she should show some tell thank thanks that the their them
    then there these they this those to too turn up us very want was we were what when where which
    who why will with would yes you your
"""
COURTESIES = frozenset(" ".join((_GERMAN, _FRENCH, _ITALIAN, _ENGLISH)).split())
