"""Words that questions are made of and that find nothing, in a few languages."""

_ENGLISH = """
a an and are as at be been but by can could did do does for from had has have he her him his
how i if in is it its me my of on or our she should so than that the their them then there
these they this those to us was we were what when where which who whom whose why will with
would you your
"""

_GERMAN = """
aber als an auf aus bei das dass dein deine dem den der des die du ein eine einem einen
einer er es für habe haben hast hat hatte ich ihr im in ist mein meine mit nach oder sie
sind und uns von wann war waren warum was welche welcher welches wem wen wer wie wir wird wo
zu zum zur
"""

_FRENCH = """
au aux avec avait ce ces cette comment dans de des du elle elles en est et il ils je la le
les leur lui ma me mes mon nous on ont où par pas pour pourquoi quand que quel quelle
quelles quels qui quoi sa se ses son sont sur ta te tes ton tu un une vous étais était
"""

_SPANISH_PORTUGUESE_ITALIAN = """
al el ella ellos era es esta este fue ha había han la las lo los mi mis nos por para qué
quién que se sin su sus tu tus un una y yo cómo como cuándo cuál cuáles dónde del ao aos com
da das do dos ele ela eles foi meu minha na nas no não nos os o e eu onde porque quando quem
qual quais seu sua um uma che chi cosa come con della delle di dove il gli le lui mia mio
nel perché quale quali sono suo sua tuo tua
"""

_DUTCH = """
dat de een en het hij ik is je jij mijn met naar of ons op te van voor waar waarom wanneer
wat welk welke wie wij zij zijn
"""

FUNCTION_WORDS = frozenset(
    (_ENGLISH + _GERMAN + _FRENCH + _SPANISH_PORTUGUESE_ITALIAN + _DUTCH).split()
)
