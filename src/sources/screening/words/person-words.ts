/**
 * Names of persons that are one name in two spellings, or a long and a short form of one name. All in folded form. Sources: the aliases of
 * persons on OFAC's and the UN's lists (`Aleksandr`, `Alexander`), and what dictionaries of given names say about short forms.
 */

/** One name in its romanisations. Korean family names in the spellings of both Koreas (Revised Romanization, McCune-Reischauer, usual). */
const SPELLINGS = `
mohammed mohammad mohamed mohamad muhammad muhammed muhamad muhamed mohamud mohamoud mahomed mahamed mouhamed mohd mhd muhd md mehmed mehmet magomed mukhammad
ri lee yi rhee ree
kim gim ghim
pak park bak bahk
choe choi chwe
chong jong jung jeong chung joung
kang gang
cho jo joh
yun yoon youn
chang jang
im rim lim yim
o oh
so seo suh
sin shin
kwon gwon
an ahn
ryu yu yoo ryoo
chon jon jeon chun jun
ko go koh goh
mun moon
paek baek paik baik
ho heo huh hur
no ro noh roh
yang ryang
kwak gwak
sim shim
chu joo ju choo
pae bae
son sohn
hwang whang
ku koo gu
won weon
ryom yom yeom
min mihn
aleksandr alexander alexandr oleksandr aliaksandr alejandro
aleksey alexey aleksei alexei oleksiy aliaksei
sergey sergei serhiy serguei siarhei
dmitry dmitri dmitriy dmitrii dzmitry dmytro
mikhail michael mykhailo mikhael
nikolay nikolai mykola nicolai
yevgeny evgeny evgeni evgenii yevgeniy yevhen
yury yuri yuriy iurii jurij
andrey andrei andriy andrej
vladimir volodymyr uladzimir wladimir
yelena elena olena alena
natalya natalia nataliya
viktor victor viktar
pyotr petr petro piotr
`

/** The long form, then its short forms. A short form may have several long ones. */
const SHORT_FORMS = `
aleksandr sasha shura sanya alex alik
alexander sasha alex alec sandy lex
aleksandra sasha
aleksey alyosha lyosha alesha lesha alyoha
alexey alyosha lyosha alesha lesha
anatoly tolya tolik
anatoliy tolya tolik
andrey andryusha andrusha dron
anton antosha tosha toni
arkady arkasha
artyom tyoma
boris borya
vadim vadik
valentin valya
valery valera
vasily vasya
viktor vitya vic
vitaly vitalik
vladimir vova volodya vladi vlad
vladislav vlad slava
vyacheslav slava
gennady gena
georgy gosha zhora
grigory grisha
denis deniska
dmitry dima mitya dimon
dmitri dima mitya
dmitriy dima mitya
yevgeny zhenya
evgeny zhenya
yegor yegorka
yefim fima
igor igoryok gosha
ilya ilyusha
iosif osya
ivan vanya
kirill kirya
konstantin kostya
leonid lyonya lenya
lev lyova
maksim max maks
maxim max
mikhail misha
nikita nikitos
nikolay kolya
nikolai kolya
oleg olezhka
pavel pasha
pyotr petya
petr petya
roman roma
ruslan rus
semyon syoma
sergey seryozha serezha sergo
sergei seryozha serezha
stanislav stas
stepan styopa
timofey tima
timur tima
fyodor fedya
yakov yasha
yaroslav slava yarik
yury yura
yuri yura
yuriy yura
anastasia nastya
anna anya
yekaterina katya
ekaterina katya
yelena lena
elena lena
irina ira
ksenia ksyusha
lyudmila luda lyuda mila
maria masha mary
mariya masha
natalya natasha
natalia natasha
olga olya
svetlana sveta
tatiana tanya
tatyana tanya
yulia yulya
andrew andy drew
anthony tony ant
antony tony
arthur art
benjamin ben benny
charles charlie chuck chas
christopher chris kit
daniel dan danny
david dave davy
dennis denny den
donald don donnie
douglas doug
edward ed eddie ted ned
elizabeth liz beth betty lisa
eugene gene
francis frank
frederick fred freddie
gerald gerry jerry
gregory greg
harold harry hal
henry harry hank
jacob jake
james jim jimmy jamie
jeffrey jeff
jennifer jen jenny
john jack johnny jon
jonathan jon
joseph joe joey
joshua josh
katherine kate kathy
kenneth ken kenny
lawrence larry
leonard leo len lenny
margaret maggie peggy meg
matthew matt
michael mike mick mickey
nathaniel nate
nicholas nick
patricia pat patty tricia
patrick pat paddy
peter pete
philip phil
raymond ray
rebecca becky
richard rick dick rich ricky richie
robert bob rob bobby robbie bert
ronald ron ronnie
samuel sam sammy
stephen steve
steven steve
susan sue
terence terry
theodore ted theo
thomas tom tommy
timothy tim
vincent vince vinny
walter walt wally
william bill will billy willie liam
zachary zach zack
alberto beto berto tito
alejandro alex jandro ale
alfonso poncho fonso
alfredo fredo fredy
antonio tono tony toni nono
arturo turo
carlos carlitos charly
daniel dani
david davo
eduardo lalo edu eddie
enrique quique kike
ernesto neto
federico fede
felipe pipe
fernando nando fer
francisco paco pancho kiko fran cisco curro
gabriel gabo gabi
gerardo jerry lalo
gilberto beto gil
gonzalo gonza chalo
gregorio goyo
guadalupe lupe lupita
guillermo memo guille willy
gustavo gus tavo
hector tito
heriberto beto
humberto beto
ignacio nacho
jaime jimmy
jesus chuy chucho suso
joaquin quin chimo
jorge coque
jose pepe chepe
juan juancho juanito
leonardo leo nardo
leopoldo polo
luis lucho lucito
manuel manolo manny meno
marco marcos
maria mari maruja
mario mayito
mauricio mau
miguel migue mike
oscar osquitar
pablo pablito
pedro perico peyo
rafael rafa rafi
ramon moncho
ramiro miro
raul rulo
ricardo rick ricky riqui
roberto beto berto bobby tito
rodolfo rodo fito
rodrigo rodri
rogelio roger
ruben benny
salvador chava
santiago santi chago
sebastian sebas
sergio checo
teodoro teo
vicente chente
victor vic
giovanni gianni nino
giuseppe peppe beppe pino
antonio toto nino
salvatore toto turi
domenico mimmo
francesco franco ciccio
luigi gigi
vincenzo enzo
johannes hans
friedrich fritz
heinrich heinz
joseph sepp jupp
abdullah abdul abdallah
abdulrahman abdul
mohammed mo moe mohd md hamada hamoudi
muhammad mo moe mohd md
mohammad mo moe mohd md
mohamed mo moe mohd md
ahmad ahmed hamada hamoudi
mustafa mus
ibrahim ibo brahim
hussein hussain hus
hassan hasan
yusuf joseph yousef yousuf
sulayman suleiman soleiman
mehmet memo
`

const rowsOf = (text: string): readonly (readonly string[])[] =>
  text
    .trim()
    .split("\n")
    .map((row) => row.split(" "))

export const SPELLING_ROWS = rowsOf(SPELLINGS)
export const SHORT_FORM_ROWS = rowsOf(SHORT_FORMS)
